import type { ClientBase } from 'pg'
import { StoreBehindError } from '../errors.ts'

/** The entries that a server must have of each chain to be read from: memory has released them. */
export type RequiredSeqs = {
  of(chainId: number): number
  /** Never falls. */
  raise(chainId: number, seq: number): void
  /**
   * Checks a server with a new session; rejects if it lacks entries. A running server never loses
   * any.
   */
  check(client: ClientBase): Promise<void>
}

/** `isFilled`: a store that is behind is filled from the log, so waiting for it helps. */
export function createRequiredSeqs({ isFilled }: { isFilled: boolean }): RequiredSeqs {
  const floors = new Map<number, number>()
  const of = (chainId: number) => floors.get(chainId) ?? 0
  return {
    of,
    raise: (chainId, seq) => void floors.set(chainId, Math.max(of(chainId), seq)),
    async check(client) {
      if (floors.size === 0) return
      const { rows } = await client.query<{ chain: number; seq: number }>(
        'SELECT chain, seq FROM cursors WHERE chain = ANY($1)',
        [[...floors.keys()]],
      )
      for (const { chain, seq } of rows)
        if (seq < of(chain))
          throw new StoreBehindError({ chainId: chain, found: seq, wanted: of(chain), isFilled })
    },
  }
}
