import { decodeUndo } from '../../ledger/undo.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { Store } from '../../store/openStore.ts'
import type { KnownBlock } from '../pipeline/chainPipeline.ts'

/** The newest canonical blocks of the log, oldest first, with all that reverts them. */
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

export type OlderBlocksOptions = {
  chainId: number
  known: readonly KnownBlock[]
  finalizedNumber: number
  /** With the known ones. */
  countMax: number
}

/** The blocks before the known ones that are not final, oldest first: where another branch may part from ours. */
export async function loadOlderBlocks(
  store: Pick<Store, 'loadLogBlocks'>,
  { chainId, known, finalizedNumber, countMax }: OlderBlocksOptions,
): Promise<BlockRef[]> {
  const first = known[0]?.ref
  const limit = countMax - known.length
  if (first === undefined || limit <= 0) return []
  const query = { after: finalizedNumber, toNumber: first.parentNumber, limit }
  const older: BlockRef[] = []
  let child = first
  // Newest first, for as long as they are there without a hole.
  for (const ref of await store.loadLogBlocks(chainId, query)) {
    if (ref.hash !== child.parentHash) break
    older.push(ref)
    child = ref
  }
  return older.reverse()
}
