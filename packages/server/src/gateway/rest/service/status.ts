import type { ChainStatus } from '@chaintape/protocol'
import { type GatewayChain, isOpening } from '../../chain/gatewayChain.ts'
import { componentRef } from '../../ground/schemas.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { chainHealth } from './health.ts'

/** GET /v2/status: how far each chain is, and how far back its history goes. */
export const status = defineOperation({
  id: 'status',
  method: 'GET',
  path: '/v2/status',
  cost: 0,
  tag: 'service',
  summary: 'State of every chain',
  description:
    '`ready`: it is at the newest block or close behind it; `state` is `catching_up` until it was so once, then `live` or ' +
    '`lagging`. `first_block` is the first one stored, `start_block` the configured one. `history_complete` says whether every swap ' +
    'from `start_block` (`latest`: from `first_block`) up to the newest block is here; if not, `history_missing` says ' +
    'what is not: blocks that are still being read, blocks from before the stored ones, or swaps that retention has ' +
    'dropped. `history_from` is the oldest swap that is kept, `history_known` whether the database could be asked for it.',
  inputs: {},
  answer: componentRef('Status'),
  async run(_, serving) {
    const chains = [...serving.chains].map(([name, chain]) => statusOf(serving, name, chain))
    const now = Math.floor(serving.clock.nowMs() / 1_000)
    return { json: JSON.stringify({ time: now, chains: await Promise.all(chains) }) }
  },
})

async function statusOf(
  { store, clock }: OperationContext,
  name: string,
  chain: GatewayChain,
): Promise<ChainStatus> {
  // The answer reports a database that is down, instead of failing because of it.
  const notKnown = { history_from: null, history_known: false }
  const history = isOpening(chain)
    ? notKnown
    : await store.loadHistoryStart(chain.storeId).then(
        (historyFromS) => ({ history_from: historyFromS, history_known: true }),
        () => notKnown,
      )
  return {
    chain: name,
    ...chainHealth(chain, clock),
    unclaimed_logs: [...(chain.status().unclaimedLogs ?? [])],
    head_hash: chain.reads.head()?.hash ?? null,
    pairs: chain.reads.pairCount(),
    tokens: chain.reads.tokenCount(),
    unclaimed: [...(chain.status().unclaimedPrograms ?? [])],
    ...history,
  }
}
