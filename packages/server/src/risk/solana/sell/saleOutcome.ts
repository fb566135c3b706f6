/**
 * What became of a sale that was tried. `refused`: the token did not let its tokens go; `unclear`: something else stood in its
 * way, which says nothing of the token; `untried`: the node did not try.
 */
export type SaleOutcome = 'sold' | 'refused' | 'unclear' | 'untried'

// What the token programs say when nobody but the token is to blame: the account is frozen, the token is bound to its
// holder, or its transfers are paused.
const refusals: ReadonlySet<number> = new Set([17, 37, 67])

const invoked = /^Program (\w+) invoke \[\d+\]$/
const succeeded = /^Program (\w+) success$/
const failed = /^Program (\w+) failed: (.*)$/
const customError = /custom program error: 0x([0-9a-f]+)/

/** By what simulateTransaction answered. `tokenProgram`: the one that keeps the token's mint. */
export function saleOutcome(answer: unknown, tokenProgram: string): SaleOutcome {
  const { value } = (answer ?? {}) as { value?: unknown }
  if (typeof value !== 'object' || value === null || !('err' in value)) return 'untried'
  const { err, logs } = value as { err: unknown; logs?: unknown }
  if (err === null) return 'sold'
  const lines = Array.isArray(logs) ? logs.map(String) : []
  return isRefusal(lines, tokenProgram) ? 'refused' : 'unclear'
}

/** The first program that fails is the one to blame: those that called it fail with it. */
function isRefusal(lines: readonly string[], tokenProgram: string): boolean {
  const running: string[] = []
  for (const line of lines) {
    const begun = invoked.exec(line)
    if (begun) running.push(begun[1]!)
    if (succeeded.test(line)) running.pop()
    const end = failed.exec(line)
    if (end === null) continue
    const [, program, reason] = end as unknown as [string, string, string]
    // A hook of the token, which its transfers call.
    if (program !== tokenProgram) return running.slice(0, -1).includes(tokenProgram)
    const code = customError.exec(reason)?.[1]
    return code !== undefined && refusals.has(Number.parseInt(code, 16))
  }
  return false
}
