/**
 * Runs checks one after the other and says of each how it went.
 *
 * No test framework, nothing of Node: the same file runs in a page, in a worker and in every runtime.
 */
const LONGEST_CHECK_MS = 20_000;

/** Runs `checks`, functions by what they show, and returns a list of names, with an `error` where one failed. */
export async function report(checks) {
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    const error = await failureOf(check);
    results.push(error === undefined ? { name } : { name, error });
  }
  return results;
}

/** @throws Error unless both are the same as JSON. */
export function equal(actual, expected, what) {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** @throws Error unless it holds. */
export function holds(isTrue, what) {
  if (!isTrue) throw new Error(`does not hold: ${what}`);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function failureOf(check) {
  let timer;
  const tooLong = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${LONGEST_CHECK_MS} ms`)), LONGEST_CHECK_MS);
  });
  try {
    await Promise.race([check(), tooLong]);
    return undefined;
  } catch (error) {
    return String(error?.stack?.includes(error.message) ? error.stack : error);
  } finally {
    clearTimeout(timer);
  }
}
