// Writes the answers of this tree to fixed inputs, as NDJSON lines of `Line`: npx tsx
// test/equality/dump.ts [--show <name of a line>] [part...] `equality.test.ts` runs this program in
// two trees and compares the lines. A change that renames internals edits this folder in its own
// tree; the names and values of the lines stay.
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { toJson } from '../support/upgradeFixture.ts'
import type { Line } from './compare.ts'
import { dumpDecoded } from './decoded.ts'
import { dumpFrames } from './frames.ts'
import { dumpState } from './state.ts'
import { dumpStored } from './stored.ts'

export type Emit = {
  (name: string, value: unknown): void
  /** Emits a hash of a value that is too large for a line. `--show` writes it in full. */
  digest(name: string, value: unknown): unknown
}

const parts: Record<string, (emit: Emit) => void | Promise<void>> = {
  decoded: dumpDecoded,
  state: dumpState,
  frames: dumpFrames,
  stored: dumpStored,
}

const { values, positionals } = parseArgs({
  options: { show: { type: 'string' } },
  allowPositionals: true,
})

for (const part of positionals.length === 0 ? Object.keys(parts) : positionals) {
  const emit = (name: string, value: unknown) => {
    const line: Line = { part, name, value }
    if (values.show === undefined || values.show === name) process.stdout.write(`${toJson(line)}\n`)
  }
  await parts[part]!(Object.assign(emit, { digest }))
}

function digest(name: string, value: unknown): unknown {
  if (values.show === name) return value
  return createHash('sha256').update(toJson(value)).digest('hex').slice(0, 16)
}
