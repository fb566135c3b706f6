// Tells parsers whose time grows with their input from those whose time grows with its square.

// A doubling of the input doubles linear work and quadruples quadratic work.
const growthMax = 3
// Shorter than this is noise: a collection of garbage, a compilation.
const floorMs = 4
const runsMax = 5

/** `unit` again and again, as one flat string: only the parser's own work is measured. */
export function repeated(unit: string, chars: number): string {
  const text = unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/**
 * Throws when the processor time of `work` more than triples per doubling of its input. The longest input comes first: when
 * even that takes next to no time, nothing else is measured.
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

/** Processor time of the quickest of several runs, at least `floorMs`. */
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
