import { RiskUnavailableError } from '../../../risk/riskChecker.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { rowOrEmptyRef } from '../../ground/schemas.ts'
import { tokenIdInput } from '../../inputs/inputs.ts'
import { defineOperation } from '../operation.ts'
import { encodeContractRisk } from './contractAnswer.ts'
import type { CreatorRecord } from './holderFields.ts'
import { readRiskSubject } from './riskSubjectOf.ts'

/**
 * GET /v2/contracts/{token-id}: who can do what to a token, and whether it can be bought, moved and
 * sold.
 */
export const contractRisk = defineOperation({
  id: 'contractRisk',
  method: 'GET',
  path: '/v2/contracts/{token-id}',
  cost: 10,
  tag: 'tokens',
  summary: 'Contract and risk of a token',
  description:
    'Checked against the node at `checked_block` and cached for a while. A field that cannot be determined is absent; ' +
    '`is_honeypot` -1 means not checked.',
  inputs: { token: tokenIdInput },
  answer: rowOrEmptyRef('ContractRisk'),
  async run({ token: { chain, address } }, { store }) {
    const notFound = { json: '{}', msg: 'SUCCESS: token not found' }
    const subject = await readRiskSubject(chain, address, store)
    if (subject === null) return notFound
    const report = await chain.risk.report(subject).catch(rethrown)
    const creator = report.creator?.address
    const creatorRecord = creator === undefined ? null : creatorRecordOf(chain, creator, address)
    return { json: encodeContractRisk({ profile: chain.profile, subject, report, creatorRecord }) }
  },
})

function rethrown(error: unknown): never {
  if (!(error instanceof RiskUnavailableError)) throw error
  throw new RequestError('unavailable', 'The contract cannot be checked now; try again soon.')
}

// Limits the tokens examined per creator; this many are enough to judge the creator.
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
