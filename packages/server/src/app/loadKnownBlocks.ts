import { decodeUndo } from '../ledger/undo.ts'
import { decodeEntry } from '../log/entryCodec.ts'
import type { PairRecord } from '../model/pair.ts'
import type { Store } from '../store/openStore.ts'
import type { KnownBlock } from './chainPipeline.ts'

/** The newest canonical blocks of the log, oldest first, with all that takes them back. */
export async function loadKnownBlocks(
  store: Store,
  chainId: number,
  countMax: number,
  pairOf: (id: number) => PairRecord,
): Promise<KnownBlock[]> {
  const tail = await store.readLogTail(chainId, countMax)
  if (tail.length === 0) return []
  const undoBySeq = new Map(tail.map(({ seq, undo }) => [seq, undo]))
  const known: KnownBlock[] = []
  for await (const { seq, bytes } of store.readLog(chainId, tail[0]!.seq)) {
    const undo = undoBySeq.get(seq)
    const entry = undo === undefined ? null : decodeEntry(bytes)
    if (entry?.type !== 'commit') continue
    const { ref, tokens, pairs } = entry.block
    const told = undo ? decodeUndo(undo).pools.filter(({ wasUnknown }) => wasUnknown) : []
    const toldPools = told.map(({ pairId }) => pairOf(pairId))
    known.push({ ref, undo: undo ?? null, created: { tokens, pairs, toldPools } })
  }
  return known
}
