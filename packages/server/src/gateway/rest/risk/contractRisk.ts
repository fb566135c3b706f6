import { RiskUnavailableError } from '../../../risk/errors.ts'
import { RequestError } from '../../errors.ts'
import { tokenIdInPath } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { orEmpty } from '../../operation/schemas.ts'
import { contractBody } from './contracts.ts'
import { creatorRecordOf } from './creatorRecordOf.ts'
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
    'Checked against the node at `checked_block`, and kept for a while. A field that cannot be determined is absent; ' +
    '`is_honeypot` -1 means not checked.',
  inputs: { token: tokenIdInPath },
  answer: orEmpty('ContractRisk'),
  async run({ token: { chain, address } }, { store }) {
    const notFound = { json: '{}', msg: 'SUCCESS: token not found' }
    const subject = await readRiskSubject(chain, address, store)
    if (subject === null) return notFound
    const report = await chain.risk.report(subject).catch(rethrown)
    const creator = report.creator?.address
    const creatorRecord = creator === undefined ? null : creatorRecordOf(chain, creator, address)
    return { json: contractBody({ profile: chain.profile, subject, report, creatorRecord }) }
  },
})

function rethrown(error: unknown): never {
  if (!(error instanceof RiskUnavailableError)) throw error
  throw new RequestError('unavailable', 'The contract cannot be checked now; try again soon.')
}
