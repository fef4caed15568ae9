/**
 * A certificate for localhost that nobody has signed, valid for a hundred years, and its key. It protects
 * nothing: the lab needs a server whose certificate every client refuses.
 */

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUZ+NufkSkMJccjlO2TnbQSwzS0/owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTIwMTAwMjExMloYDzIxMjYxMTA3
MDAyMTEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATIcG/ttr2FIgTBsHFsN9OCkK0RVKRE9DUc1zUCeNeFWEgkxyTbTIH9
4x3uNrW8wsJZeuw04hKxgmO4G7fAG5yco1MwUTAdBgNVHQ4EFgQUk7CHlMo7NCT9
Oe6G2bZ2ZdFZFwIwHwYDVR0jBBgwFoAUk7CHlMo7NCT9Oe6G2bZ2ZdFZFwIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB+W22fjdVoQMK5LBCOIjO6
Obdjj/hnoYH4BatTNiorvAIhAPsrUZQ/XWDqiU87n9z15xiwl7yDaFO83Ry2HhWU
y/tf
-----END CERTIFICATE-----`;

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdwoKFtVQXSbotrqL
x2SDl8+/WbmCyn8N8t5kky1Jq3yhRANCAATIcG/ttr2FIgTBsHFsN9OCkK0RVKRE
9DUc1zUCeNeFWEgkxyTbTIH94x3uNrW8wsJZeuw04hKxgmO4G7fAG5yc
-----END PRIVATE KEY-----`;
