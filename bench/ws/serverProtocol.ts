// The protocol between a bench and a server under test: one JSON line each on standard output and
// standard input.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export type ServerLine =
  | { event: 'ready'; port: number; control: number }
  | { event: 'memory'; rssBytes: number; heapBytes: number; externalBytes: number }
  | { event: 'written'; count: number; p50: number; p99: number; max: number }
  | { event: 'stats'; stats: Readonly<Record<string, number>> }

export function report(line: ServerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Reports memory in use, after a garbage collection if available (--expose-gc). */
export function reportMemory(): void {
  for (let left = 3; left > 0; left -= 1) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const rssPages = Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1])
  report({
    event: 'memory',
    rssBytes: rssPages * 4_096,
    heapBytes: heapUsed,
    externalBytes: external,
  })
}

/** Answers the bench's questions until it closes the input, which ends the process. */
export function answerQuestions(answers: Readonly<Record<string, () => void>>): void {
  createInterface({ input: process.stdin })
    .on('line', (line) => (line === 'memory' ? reportMemory() : answers[line]?.()))
    .on('close', () => process.exit(0))
}

/** `values`: sorted ascending. */
export function quantile(values: readonly number[], share: number): number {
  return values[Math.floor((values.length - 1) * share)] ?? 0
}
