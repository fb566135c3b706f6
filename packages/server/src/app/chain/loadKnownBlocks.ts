import { decodeUndo, type LedgerUndo } from '../../ledger/undo.ts'
import { decodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LateFacts } from '../../model/logEntry.ts'
import type { AnsweredQuestions } from '../../resolve/questions/questions.ts'
import type { Store } from '../../store/openStore.ts'
import type { KnownBlock } from '../pipeline/chainPipeline.ts'
import type { EngineSeedSource } from '../pipeline/engineSeed.ts'

type Records = Pick<EngineSeedSource, 'pairById' | 'tokenById'>

/** Returns the log's newest canonical blocks, oldest first, each with its undo record. */
export async function loadKnownBlocks(
  store: Store,
  chainId: number,
  countMax: number,
  records: Records,
): Promise<KnownBlock[]> {
  const tail = await store.readLogTail(chainId, countMax)
  if (tail.length === 0) return []
  const undoBySeq = new Map(tail.map(({ seq, undo }) => [seq, undo]))
  const known = new Map<string, KnownBlock>()
  for await (const { seq, bytes } of store.readLog(chainId, tail[0]!.seq)) {
    const entry = decodeEntry(bytes)
    if (entry.type === 'late') {
      const created = known.get(entry.facts.ref.hash)?.created
      if (created)
        created.answeredQuestions = withLate(created.answeredQuestions, entry.facts, records)
      continue
    }
    const undo = undoBySeq.get(seq)
    if (entry.type !== 'commit' || undo === undefined) continue
    const { ref, tokens, pairs } = entry.block
    const answeredQuestions = undo ? answeredOf(decodeUndo(undo), records) : {}
    known.set(ref.hash, { ref, undo, created: { tokens, pairs, answeredQuestions } })
  }
  return [...known.values()]
}

/** What a block answered, by the values it replaced. */
function answeredOf({ pools, supplies }: LedgerUndo, { pairById, tokenById }: Records) {
  const counted = supplies.filter(({ before, after }) => !before?.isComplete && after.isComplete)
  return {
    unknownPools: pools
      .filter(({ wasUnknown }) => wasUnknown)
      .map(({ pairId }) => pairById(pairId)),
    incompleteTokens: counted.map(({ after }) => tokenById(after.tokenId)),
  }
}

function withLate(
  {
    uncreatedPairs = [],
    uncreatedTokens = [],
    unsharedPairs = [],
    ...rest
  }: AnsweredQuestions = {},
  { creations = [], tokenCreations = [], shares = [] }: LateFacts,
  { pairById, tokenById }: Records,
): AnsweredQuestions {
  const uncreated = creations.map(({ pairId }) => ({ ...pairById(pairId), createdAtS: 0 }))
  return {
    ...rest,
    uncreatedPairs: [...uncreatedPairs, ...uncreated],
    uncreatedTokens: [
      ...uncreatedTokens,
      ...tokenCreations.map(({ tokenId }) => tokenById(tokenId)),
    ],
    unsharedPairs: [...unsharedPairs, ...shares.map(({ pairId }) => pairById(pairId))],
  }
}

export type OlderBlocksOptions = {
  chainId: number
  known: readonly KnownBlock[]
  finalizedNumber: number
  /** Maximum count, including the known blocks. */
  countMax: number
}

/**
 * Returns unfinalized blocks before the known blocks, oldest first. A deep reorg may fork from any
 * of them.
 */
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
  // Newest first, up to the first gap in the parent chain.
  for (const ref of await store.loadLogBlocks(chainId, query)) {
    if (ref.hash !== child.parentHash) break
    older.push(ref)
    child = ref
  }
  return older.reverse()
}
