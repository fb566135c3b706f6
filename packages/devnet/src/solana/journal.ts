// What made the chain, one step a line: with the seed all of it follows from that. Beside it the state of an older block,
// so that a start need not make every block again.
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ChainState } from './generatedChain.ts'

/** A block in a slot, on the branch of that name; or so many blocks that are left. */
export type Step = { mine: number; branch?: string } | { drop: number }

export type Birth = { format: number; seed: number; startTimeS: number }

/** The state after so many steps. */
type SavedState = { birth: Birth; steps: number; state: ChainState }

/** The next one where the same steps make another chain: an older journal is not resumed. */
export const journalFormat = 3

export class Journal {
  readonly birth: Birth
  readonly steps: Step[]
  readonly #dir: string

  constructor(dir: string, birth: Birth, steps: Step[]) {
    this.#dir = dir
    this.birth = birth
    this.steps = steps
  }

  append(step: Step): void {
    this.steps.push(step)
    appendFileSync(join(this.#dir, 'journal'), `${JSON.stringify(step)}\n`)
  }

  /** What `bytesOf` gave. */
  saveState(bytes: Buffer): void {
    const file = join(this.#dir, 'state')
    writeFileSync(`${file}.new`, bytes)
    renameSync(`${file}.new`, file)
  }

  /** The newest state that these steps lead to; null: there is none, and all is done again. */
  loadState(): SavedState | null {
    try {
      const saved = deserialize(readFileSync(join(this.#dir, 'state'))) as SavedState
      const isOurs = JSON.stringify(saved.birth) === JSON.stringify(this.birth)
      return isOurs && saved.steps <= this.steps.length ? saved : null
    } catch {
      return null
    }
  }

  bytesOf(steps: number, state: ChainState): Buffer {
    return serialize({ birth: this.birth, steps, state } satisfies SavedState)
  }

  remove(): void {
    for (const name of ['journal', 'state']) rmSync(join(this.#dir, name), { force: true })
  }
}

/** Null: there is none that can be gone on with. */
export function openJournal(dir: string): Journal | null {
  try {
    const lines = readFileSync(join(dir, 'journal'), 'utf8').split('\n')
    // The last is empty, or was cut short by whatever ended the program.
    const whole = lines.slice(0, -1)
    const [birth, ...steps] = whole.map((line) => JSON.parse(line)) as [Birth, ...Step[]]
    if (birth?.format !== journalFormat) return null
    if (lines.at(-1) !== '') writeFileSync(join(dir, 'journal'), `${whole.join('\n')}\n`)
    return new Journal(dir, birth, steps)
  } catch {
    return null
  }
}

export function createJournal(dir: string, birth: Birth): Journal {
  mkdirSync(dir, { recursive: true })
  const journal = new Journal(dir, birth, [])
  journal.remove()
  writeFileSync(join(dir, 'journal'), `${JSON.stringify(birth)}\n`)
  return journal
}
