import type { HandedEntry } from '../pipeline/handedEntry.ts'

export type HeldEntriesOptions = {
  /** May a block of this number be applied by now? */
  mayApply(number: number): boolean
  apply(entries: readonly HandedEntry[]): void
}

/**
 * Entries that have come before it is their time: from the first block that may not be applied on they wait, in order. None is
 * acknowledged meanwhile, so the thread that sends them pauses as well.
 */
export type HeldEntries = {
  put(entries: readonly HandedEntry[]): void
  /** Applies what may be by now. */
  proceed(): void
}

export function createHeldEntries({ mayApply, apply }: HeldEntriesOptions): HeldEntries {
  let waiting: HandedEntry[] = []

  function proceed(): void {
    if (waiting.length === 0) return
    const isHeld = ({ type, ref }: HandedEntry) => type === 'commit' && !mayApply(ref.number)
    const first = waiting.findIndex(isHeld)
    const due = first < 0 ? waiting : waiting.slice(0, first)
    waiting = first < 0 ? [] : waiting.slice(first)
    if (due.length > 0) apply(due)
  }

  return {
    put(entries) {
      waiting = [...waiting, ...entries]
      proceed()
    },
    proceed,
  }
}
