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
    '`ready`: the chain is at the newest block or close behind. `state` is `catching_up` until the chain is ready for the first time, then `live` or ' +
    '`lagging`. `first_block` is the first stored block, `start_block` the configured one. `history_complete`: every swap ' +
    'from `start_block` (`latest`: from `first_block`) to the newest block is stored. Otherwise `history_missing` lists ' +
    'the gaps: blocks that are still being read, blocks before the stored ones, or swaps that retention has ' +
    'deleted. `history_from` is the time of the oldest stored swap, `history_known` is false if the database did not answer.',
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
