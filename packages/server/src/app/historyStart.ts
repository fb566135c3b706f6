import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/openStore.ts'

/** The first block of a chain's history; null while there is none, or when it is no longer known. */
export async function findHistoryStart(
  store: Pick<Store, 'findLogStart'>,
  chainId: number,
): Promise<number | null> {
  const first = await store.findLogStart(chainId)
  // A log whose first entries were dropped does not tell any more where history began.
  return first?.seq === 1 ? first.number : null
}

export type ConfiguredStart = { chain: string; chainId: number; startBlock: number | 'latest' }

/** A start block that was set back after the chain had begun is not followed: the user is told what is. */
export async function warnOfEarlierStart(
  { store, logger }: { store: Pick<Store, 'findLogStart'>; logger: Logger },
  { chain, chainId, startBlock }: ConfiguredStart,
): Promise<void> {
  if (startBlock === 'latest') return
  const firstBlock = await findHistoryStart(store, chainId)
  if (firstBlock === null || startBlock >= firstBlock) return
  logger.warn({
    msg: 'Ignored a start_block before the stored history: nothing can be put before that',
    ...{ chain, startBlock, firstBlock },
    hint: 'For the longer history run chaintape backfill on another data directory or database.',
  })
}
