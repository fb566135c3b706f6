import type { ClientBase } from 'pg'
import { StoreBehindError } from '../errors.ts'

/** What a server must have of each chain to be read from: memory has let go of it. */
export type ReadFloor = {
  of(chainId: number): number
  /** Never falls. */
  raise(chainId: number, seq: number): void
  /** Of a server that a session was opened to; rejects where it has less. Within its life a server never has less than before. */
  check(client: ClientBase): Promise<void>
}

/** `isFilled`: a store that is behind is filled from the log, so it is worth waiting for. */
export function createReadFloor({ isFilled }: { isFilled: boolean }): ReadFloor {
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
