import type { GatewayChain } from '../gatewayChain.ts'
import { heartbeatText } from '../rowTexts.ts'

/** How a chain is doing, so that quiet differs from stale. */
export function heartbeatResult(chain: GatewayChain, nowMs: number): string {
  const head = chain.reads.head()
  const ageS = head === null ? null : Math.floor(nowMs / 1_000) - head.timeS
  const { state, tipNumber } = chain.status()
  return heartbeatText({
    chain: JSON.stringify(chain.profile.name),
    head_age_s: `${ageS}`,
    head_block: `${head?.number ?? null}`,
    head_time: `${head?.timeS ?? null}`,
    state,
    tip_block: `${tipNumber}`,
  })
}
