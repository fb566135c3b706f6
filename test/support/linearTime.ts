// Distinguishes parsers with linear time from those with quadratic time.

// Doubling the input doubles linear work and quadruples quadratic work.
const growthMax = 3
// Shorter times are noise, such as garbage collection or compilation.
const floorMs = 4
const runsMax = 5

/** Repeats `unit` as one flat string, so that only the parser's own work is measured. */
export function repeated(unit: string, chars: number): string {
  const text = unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/**
 * Throws if the CPU time of `work` more than triples per doubling of its input. The longest input
 * runs first: if it is quick, nothing else is measured.
 */
export async function expectLinear(
  name: string,
  sizes: readonly number[],
  work: (size: number) => unknown,
): Promise<void> {
  if ((await leastMs(1, () => work(sizes.at(-1)!))) <= floorMs) return
  let before: { size: number; ms: number } | null = null
  for (const size of sizes) {
    const ms = await leastMs(runsMax, () => work(size))
    if (before !== null && ms > before.ms * growthMax ** Math.log2(size / before.size))
      throw new Error(
        `${name}: ${before.size} characters take ${before.ms} ms, ${size} take ${ms} ms.`,
      )
    before = { size, ms }
  }
}

/** CPU time of the quickest of several runs, at least `floorMs`. */
async function leastMs(runs: number, work: () => unknown): Promise<number> {
  let ms = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && ms > floorMs; run += 1) {
    const start = process.cpuUsage()
    const result = work()
    if (result instanceof Promise) await result
    const { user, system } = process.cpuUsage(start)
    ms = Math.min(ms, (user + system) / 1_000)
  }
  return Math.max(ms, floorMs)
}
