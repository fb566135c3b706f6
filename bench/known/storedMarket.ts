// A large market as an indexer leaves it in a database.
import type { Engine } from '../../packages/server/src/engine/engine.ts'
import { encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { FinishedBlock } from '../../packages/server/src/model/finishedBlock.ts'
import type { BlockWrite, Cursor } from '../../packages/server/src/store/blockWrite.ts'
import { type TestConnection, withClient } from '../../test/support/postgres.ts'
import { type KnownSizes, playMarket } from './market.ts'

/**
 * Fills the engine with final blocks, as if each had been a log entry that retention has deleted.
 */
export function fillEngine(engine: Engine, sizes: KnownSizes, endS?: number): Cursor {
  const seq = playMarket((block) => void engine.apply({ type: 'commit', block }), sizes, endS)
  const head = { number: seq - 1, hash: engine.head()!.hash }
  engine.apply({ type: 'finalize', ref: head })
  return { seq, ...head }
}

export async function moveCursor(
  connection: TestConnection,
  chainId: number,
  { seq, number, hash }: Cursor,
): Promise<void> {
  await withClient(connection, (client) =>
    client.query(
      'UPDATE cursors SET seq = $2, number = $3, hash = $4, finalized = $3, first_number = 0 WHERE chain = $1',
      [chainId, seq, number, hash],
    ),
  )
}

/** Applies the block to the engine and returns the write for the store. */
export function applyAndWrite(
  engine: Engine,
  block: FinishedBlock,
  place: Pick<BlockWrite, 'chainId' | 'expectedSeq'>,
): BlockWrite {
  const { ref } = block
  const entry = { type: 'commit', block } as const
  return {
    ...place,
    entries: [{ type: 'commit', ref, bytes: encodeEntry(entry), undo: null }],
    headAfter: { number: ref.number, hash: ref.hash },
    events: engine.apply(entry),
    balances: [],
    reverted: null,
    nowS: ref.timeS,
  }
}
