import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/openStore.ts'

export type ConfiguredStart = { chain: string; chainId: number; startBlock: number | 'latest' }

/** A start block that was set back after the chain had begun is not followed: the user is told what is. */
export async function warnOfEarlierStart(
  { store, logger }: { store: Pick<Store, 'loadCursor'>; logger: Logger },
  { chain, chainId, startBlock }: ConfiguredStart,
): Promise<void> {
  const { firstNumber: firstBlock } = await store.loadCursor(chainId)
  if (firstBlock === null || startBlock === 'latest' || startBlock >= firstBlock) return
  logger.warn({
    msg: 'Ignored a start_block before the stored history: nothing can be put before that',
    ...{ chain, startBlock, firstBlock },
    hint: 'For the longer history run chaintape backfill on another data directory or database.',
  })
}
