/**
 * An approval page: paused runs wait on a web page, and its buttons resume them. `--serve` keeps it open for a browser.
 *
 * The page is for one person at this machine; where several use it, put your sign-in before it.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AgentRun, createRuntime, type PendingApproval } from "harness-kit";
import { localModel } from "harness-kit/models/local";
import { createGate } from "harness-kit/permission";
import { bashTool } from "harness-kit/tools";

const gate = createGate({
  rules: [{ tool: "bash", decision: "ask", reason: "A person looks at every command." }],
  onAsk: "pause",
  secret: randomBytes(32),
});
const runtime = createRuntime({ model: localModel(), tools: [bashTool()], permission: gate });

/** Paused runs by their id. A run that is being resumed has left: no answer is used twice. */
const waiting = new Map<string, AgentRun>();
const outcomes: string[] = [];

function settle(run: AgentRun): void {
  if (run.status === "paused") waiting.set(run.id, run);
  else outcomes.push(`${run.status}: ${run.answer}`);
}

async function decide(form: URLSearchParams): Promise<boolean> {
  const id = form.get("id") ?? "";
  const run = [...waiting.values()].find(({ pending }) => pending?.some((question) => question.id === id));
  if (run === undefined) return false;
  waiting.delete(run.id);
  // Only an exact "allow" allows.
  const decision = form.get("decision") === "allow" ? "allow" : "deny";
  settle(await runtime.resume(run, [{ id, decision, reason: form.get("reason") || undefined }]));
  return true;
}

/** Another site can send a form to this address, but it cannot read the page, so it does not know this. */
const token = randomBytes(32).toString("hex");

function isOurs(form: URLSearchParams): boolean {
  const given = Buffer.from(form.get("token") ?? "");
  return given.length === token.length && timingSafeEqual(given, Buffer.from(token));
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => send(response, 500, "Something went wrong."));
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A name that somebody else made lead here (DNS rebinding) is not this page.
  if (request.headers.host !== new URL(address()).host) return send(response, 403, "This is another host.");
  if (request.method === "GET" && request.url === "/") return send(response, 200, page());
  if (request.method !== "POST" || request.url !== "/decide") return send(response, 404, "There is no such page.");
  const form = new URLSearchParams(await readBody(request));
  if (!isOurs(form)) return send(response, 403, "This form is not from this page.");
  if (!(await decide(form))) return send(response, 409, "This question is not waiting any more.");
  response.writeHead(303, { location: "/" }).end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += String(chunk);
    if (body.length > 10_000) throw new RangeError("The form is too long.");
  }
  return body;
}

/** No script, no frame around it, nothing from elsewhere, nothing kept. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, HEADERS).end(html);
}

const LETTERS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => LETTERS[letter] ?? "");

function page(): string {
  const questions = [...waiting.values()].flatMap(({ pending = [] }) => pending.map(questionHtml));
  // Letters stand in the order in which they will run, whatever direction their script has.
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Approvals</title>
<style>body{font:16px sans-serif;max-width:50rem;margin:2rem auto}
pre{white-space:pre-wrap;overflow-wrap:anywhere;direction:ltr;unicode-bidi:bidi-override;background:#eee;padding:.5rem}</style>
<h1>Approvals</h1>${questions.join("\n") || "<p>Nothing waits.</p>"}
<h2>Done</h2><ul>${outcomes.map((text) => `<li><pre>${escapeHtml(text)}</pre></li>`).join("")}</ul></html>`;
}

/** `display` is escaped for the eye, not for HTML. */
function questionHtml({ id, reason, display }: PendingApproval): string {
  const odd =
    display.flags.length === 0 ? "" : `<p><strong>Careful: ${escapeHtml(display.flags.join(", "))}</strong></p>`;
  const fields = display.fields.map(
    ({ name, text }) => `<dt>${escapeHtml(name)}</dt><dd><pre>${escapeHtml(text)}</pre></dd>`,
  );
  return `<form method="post" action="/decide"><h2>May ${escapeHtml(display.tool)} run?</h2><p>${escapeHtml(reason)}</p>${odd}
<dl>${fields.join("")}</dl>
<input type="hidden" name="token" value="${token}"><input type="hidden" name="id" value="${escapeHtml(id)}">
<p><label>Why: <input name="reason" maxlength="500"></label>
<button name="decision" value="allow">Approve</button> <button name="decision" value="deny">Deny</button></p></form>`;
}

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
settle(await runtime.run("run `echo published`"));
settle(await runtime.run("run `echo '<script>document.title = 1</script>'`"));

if (process.argv.includes("--serve")) console.log(`Waiting for answers at ${address()}`);
else await answerAsABrowser();

/** What a person does with the buttons, so that the example ends by itself. */
async function answerAsABrowser(): Promise<void> {
  const html = await (await fetch(address())).text();
  const ids = [...html.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = ""]) => id);
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const { status } = await fetch(`${address()}decide`, { method: "POST", body, redirect: "manual" });
    console.log(`${fields["decision"]}: ${status}`);
  };
  console.log(`waiting: ${ids.length}, markup escaped: ${!html.includes("<script>")}`);
  const [first = "", second = ""] = ids;
  await send({ token: "guessed", id: first, decision: "allow" });
  await send({ token, id: first, decision: "allow" });
  await send({ token, id: first, decision: "allow" });
  await send({ token, id: second, decision: "deny", reason: "No markup." });
  for (const outcome of outcomes) console.log(outcome);
  server.close();
}
