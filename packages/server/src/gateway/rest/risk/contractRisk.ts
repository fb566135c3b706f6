import { RiskUnavailableError } from '../../../risk/errors.ts'
import { RequestError } from '../../errors.ts'
import { fromStore } from '../../history/storeReads.ts'
import { tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { orEmpty } from '../../operation/schemas.ts'
import { contractBody } from './contracts.ts'
import { knownHolders, riskSubjectOf, subjectHoldersMax } from './riskSubjectOf.ts'

/** Who can do what to a token, and whether it can be bought, moved and sold. */
export const contractRisk = defineOperation({
  id: 'contractRisk',
  method: 'GET',
  path: '/v2/contracts/{token-id}',
  cost: 10,
  tag: 'tokens',
  summary: 'Contract and risk of a token',
  description:
    'Checked against the node at `checked_block`, and kept for a while. A field that cannot be determined is absent; ' +
    '`is_honeypot` -1 means not checked.',
  inputs: { token: tokenIdInPath },
  answer: orEmpty('ContractRisk'),
  async run({ token: { chain, address } }, { store }) {
    const notFound = { json: '{}', msg: 'SUCCESS: token not found' }
    const tokenId = chain.reads.findToken(address)
    if (tokenId === undefined) return notFound
    const holders = await fromStore(store.topHolders(chain.storeId, tokenId, subjectHoldersMax))
    const facts = await chain.wallets.read(holders.map(({ wallet }) => wallet))
    // A reorg may have taken the token back while the others were asked.
    if (chain.reads.findToken(address) !== tokenId) return notFound
    const subject = riskSubjectOf(chain, tokenId, knownHolders(holders, facts))
    if (subject === null) return notFound
    const report = await chain.risk.report(subject).catch(rethrown)
    return { json: contractBody({ profile: chain.profile, subject, report }) }
  },
})

function rethrown(error: unknown): never {
  if (!(error instanceof RiskUnavailableError)) throw error
  throw new RequestError('unavailable', 'The contract cannot be checked now; try again soon.')
}
