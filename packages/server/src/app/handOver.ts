import type { ChainThreadMessage } from './chainMessage.ts'
import type { HandedEntry } from './handedEntry.ts'

export type HandOverOptions = {
  /** Entries posted and not yet applied, at most. */
  aheadMax: number
  post(message: ChainThreadMessage, transfer: ArrayBuffer[]): void
}

export type HandOver = {
  /** Resolves when there is room for the next one. */
  put(entry: HandedEntry): Promise<void> | void
  applied(count: number): void
}

/** Moves the bytes of entries to another thread; those of one turn of the loop go together. */
export function createHandOver({ aheadMax, post }: HandOverOptions): HandOver {
  let ahead = 0
  let waiting: (() => void) | null = null
  let batch: HandedEntry[] = []

  function flush(): void {
    const entries = batch
    batch = []
    const transfer = new Set<ArrayBuffer>()
    for (const { bytes } of entries) transfer.add(bytes.buffer as ArrayBuffer)
    post({ type: 'entries', entries }, [...transfer])
  }

  return {
    put(entry) {
      batch.push(entry)
      if (batch.length === 1) setImmediate(flush)
      ahead += 1
      if (ahead < aheadMax) return undefined
      return new Promise((resolve) => {
        waiting = resolve
      })
    },
    applied(count) {
      ahead -= count
      if (ahead >= aheadMax) return
      waiting?.()
      waiting = null
    },
  }
}
