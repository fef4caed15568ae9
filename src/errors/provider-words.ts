/**
 * The words in which providers and SDKs say what happened, and what each means.
 *
 * Floor 1 (errors). Spelling is compared without case and punctuation, so that `RESOURCE_EXHAUSTED` and
 * `resource-exhausted` are one word. Facts from the vendors' public error references.
 */

import type { ModelCode } from "./verdict.ts";

/** The words of each code, the strongest code first: what is permanent beats what may pass. */
const VOCABULARY: readonly (readonly [code: ModelCode, words: string])[] = [
  [
    "MODEL_QUOTA_EXCEEDED",
    `insufficient_quota insufficient_user_quota insufficient_balance insufficient_credits insufficient_funds
     credit_balance_exhausted credit_balance_too_low exceeded_current_quota_error payment_required
     payment_required_error monthly_budget_exceeded spend_limit_exceeded ServiceQuotaExceededException
     Arrearage AccountOverdueError PrepaidBillOverdue PostpaidBillOverdue AllocationQuota.FreeTierOnly 1113`,
  ],
  [
    "MODEL_CONTEXT_OVERFLOW",
    `context_length_exceeded context_window_exceeded model_context_window_exceeded request_too_large
     exceed_context_size_error prompt_too_long input_too_long tokens_limit_reached
     ContextWindowExceededError ContextOverflowError 1261`,
  ],
  [
    "MODEL_CONTENT_FILTERED",
    `content_filter content_filtered content_filter_error content_policy_violation ContentPolicyViolationError
     ResponsibleAIPolicyViolation ContentFilterFinishReasonError data_inspection_failed moderation_blocked
     PROHIBITED_CONTENT safety_violation InputTextSensitiveContentDetected OutputTextSensitiveContentDetected
     SensitiveContentDetected 1301`,
  ],
  ["MODEL_OUTPUT_LIMIT", "LengthFinishReasonError max_output_tokens_reached output_limit_exceeded"],
  [
    "MODEL_AUTH",
    `invalid_api_key incorrect_api_key missing_api_key no_api_key API_KEY_INVALID API_KEY_MISSING
     authentication_error AuthenticationError invalid_authentication invalid_authentication_error
     incorrect_api_key_error unauthenticated unauthorized unauthorized_error UnauthorizedException
     UnrecognizedClientException InvalidSignatureException ExpiredTokenException InvalidClientTokenId
     IncompleteSignature CredentialsProviderError LoadAPIKeyError token_expired invalid_token`,
  ],
  [
    "MODEL_NOT_FOUND",
    `model_not_found model_not_exist model_not_available model_decommissioned not_found not_found_error
     NotFoundError resource_not_found_error ResourceNotFoundException DeploymentNotFound ModelNotFound
     unknown_model invalid_model InvalidEndpointOrModel.NotFound NoSuchModelError`,
  ],
  [
    "MODEL_FORBIDDEN",
    `permission_error permission_denied permission_denied_error PermissionDeniedError forbidden forbidden_error
     access_denied AccessDeniedException Model.AccessDenied unsupported_country_region_territory`,
  ],
  [
    "MODEL_RATE_LIMITED",
    `rate_limit rate_limit_error rate_limit_exceeded rate_limited rate_limit_reached_error RateLimitReached
     RESOURCE_EXHAUSTED too_many_requests TooManyRequestsException limit_requests limit_burst_rate
     request_limit_exceeded RequestLimitExceeded LimitExceededException slow_down 1302 1303 1305
     ProvisionedThroughputExceededException`,
  ],
  [
    "MODEL_OVERLOADED",
    `overloaded overloaded_error unavailable service_unavailable service_unavailable_error
     ServiceUnavailableException engine_overloaded_error engine_overloaded server_overloaded server_is_overloaded
     ModelNotReadyException model_overloaded capacity_exceeded`,
  ],
  [
    "MODEL_TIMEOUT",
    `timeout timeout_error request_timeout request_timeout_error gateway_timeout DEADLINE_EXCEEDED
     ModelTimeoutException RequestTimeoutException`,
  ],
  [
    "MODEL_SERVER_ERROR",
    `api_error server_error internal internal_error internal_server_error internal_service_error
     InternalServerException InternalFailure ModelErrorException ModelStreamErrorException bad_gateway
     upstream_error`,
  ],
  ["MODEL_ABORTED", "CANCELLED request_cancelled"],
  [
    "MODEL_BAD_RESPONSE",
    `InvalidResponseDataError EmptyResponseBodyError NoContentGeneratedError NoOutputGeneratedError
     NoObjectGeneratedError NoSuchToolError InvalidToolInputError`,
  ],
  [
    "MODEL_INVALID_REQUEST",
    `invalid_request_error invalid_request invalid_argument INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE
     bad_request bad_request_error ValidationException InvalidParameter invalid_parameter_error
     unprocessable_entity InvalidPromptError InvalidArgumentError UnsupportedFunctionalityError
     LoadSettingError UnsupportedModelVersionError`,
  ],
];

/** Families of words that vendors extend at the end, such as `Throttling.RateQuota`. */
const FAMILIES: readonly (readonly [start: string, code: ModelCode])[] = [
  ["billing", "MODEL_QUOTA_EXCEEDED"],
  ["throttl", "MODEL_RATE_LIMITED"],
  ["ratelimitexceeded", "MODEL_RATE_LIMITED"],
];

const STRONGEST_FIRST: readonly ModelCode[] = VOCABULARY.map(([code]) => code);

const MEANINGS = new Map<string, ModelCode>(
  VOCABULARY.flatMap(([code, words]) =>
    words.split(/\s+/).flatMap((word) => [[word, code] as const, [normalise(word), code] as const]),
  ),
);

/** A word of a provider that is understood. */
export interface ProviderWord {
  readonly code: ModelCode;
  /** As the provider spells it. */
  readonly text: string;
}

/** What the strongest of some words means. */
export function strongestWord(words: readonly string[]): ProviderWord | undefined {
  let strongest: ProviderWord | undefined;
  for (const text of words) {
    const code = meaningOf(text);
    if (code !== undefined && (strongest === undefined || isStronger(code, strongest.code))) strongest = { code, text };
  }
  return strongest;
}

function meaningOf(word: string): ModelCode | undefined {
  const exact = MEANINGS.get(word);
  if (exact !== undefined) return exact;
  const plain = normalise(word);
  return MEANINGS.get(plain) ?? FAMILIES.find(([start]) => plain.startsWith(start))?.[1];
}

function isStronger(code: ModelCode, other: ModelCode): boolean {
  return STRONGEST_FIRST.indexOf(code) < STRONGEST_FIRST.indexOf(other);
}

/** `AI_LoadAPIKeyError` and `com.amazon#ThrottlingException` are known by their last part. */
function normalise(word: string): string {
  return word
    .replace(/^AI_|^[^#]*#|:.*/gs, "")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}
