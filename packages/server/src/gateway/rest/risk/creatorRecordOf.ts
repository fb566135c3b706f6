import type { GatewayChain } from '../../gatewayChain.ts'
import type { CreatorRecord } from './contractFields.ts'

// Enough tokens to judge a creator.
const tokensMax = 1_000
const deadAfterS = 7 * 86_400
const deadUsd = 100

/**
 * Counts the other tokens of a creator: launch platform tokens, whose events name the creator, and
 * tokens with a risk check. A token is dead at the head when it had no trade for a week or has
 * almost no liquidity.
 */
export function creatorRecordOf(
  { reads, risk }: GatewayChain,
  creator: string,
  token: string,
): CreatorRecord {
  const launched = reads.launchedBy(creator, tokensMax)
  const checked = risk.madeBy(creator).flatMap((address) => reads.findToken(address) ?? [])
  const own = reads.findToken(token)
  const others = [...new Set([...launched, ...checked])].filter((id) => id !== own)
  const nowS = reads.head()?.timeS ?? 0
  let honeypots = 0
  let dead = 0
  for (const id of others) {
    if (risk.known(reads.tokenRecord(id).address)?.isHoneypot) honeypots += 1
    const { lastTradeAtS } = reads.tokenActivity(id)
    if (nowS - lastTradeAtS >= deadAfterS || reads.tokenTvl(id).usd < deadUsd) dead += 1
  }
  return { tokens: others.length, honeypots, dead }
}
