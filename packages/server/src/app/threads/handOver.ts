import type { HandedEntry } from '../pipeline/handedEntry.ts'
import type { ChainThreadMessage } from './chainMessage.ts'

export type HandOverOptions = {
  /** Entries posted and not yet applied, at most. */
  aheadMax: number
  post(message: ChainThreadMessage, transfer: ArrayBuffer[]): void
}

export type HandOver = {
  /** Resolves when there is room for the next one. */
  put(entry: HandedEntry): Promise<void> | void
  applied(count: number): void
  /** Nobody takes entries any more: whoever waits for room goes on. */
  release(): void
}

/** Moves the bytes of entries to another thread; those of one turn of the loop go together. */
export function createHandOver({ aheadMax, post }: HandOverOptions): HandOver {
  let ahead = 0
  let waiting: (() => void) | null = null
  let batch: HandedEntry[] = []

  function flush(): void {
    const { entries, buffer } = pack(batch)
    batch = []
    post({ type: 'entries', entries }, [buffer])
  }

  function release(): void {
    waiting?.()
    waiting = null
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
      if (ahead < aheadMax) release()
    },
    release,
  }
}

/** The same entries, all their bytes in one buffer: moving one costs as much as moving a hundred kilobytes. */
function pack(batch: readonly HandedEntry[]): { entries: HandedEntry[]; buffer: ArrayBuffer } {
  let sizeBytes = 0
  for (const { bytes, changes } of batch) sizeBytes += bytes.length + (changes?.length ?? 0)
  const packed = new Uint8Array(sizeBytes)
  let end = 0
  const put = (bytes: Uint8Array) => {
    packed.set(bytes, end)
    end += bytes.length
    return packed.subarray(end - bytes.length, end)
  }
  const entries = batch.map(({ bytes, changes, ...rest }) => ({
    ...rest,
    bytes: put(bytes),
    changes: changes === null ? null : put(changes),
  }))
  return { entries, buffer: packed.buffer }
}
