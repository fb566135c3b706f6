import { RequestError } from '../../errors.ts'
import { type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import { readWalletSwaps } from '../../history/walletSwaps.ts'
import { optionalText, requiredChain, requiredText, rowLimit } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import { optionalTimeS, timeRangeOf } from '../../operation/timeInputs.ts'
import { swapTxRow } from '../../rows/swapTxRow.ts'
import { canonicalAddress } from '../../wallets/walletInput.ts'

/** GET /v2/txs/detail: swaps of an account, or of one of its transactions. */
export const txDetail = defineOperation({
  id: 'txDetail',
  method: 'GET',
  path: '/v2/txs/detail',
  cost: 10,
  tag: 'transactions',
  summary: 'Swaps of an account',
  description:
    'In trusted pools, newest first. `tx_hash` leaves those of one transaction, in whatever pools they were.',
  inputs: {
    chain: requiredChain,
    account: requiredText({
      name: 'account_address',
      description: 'Account that signed the transactions.',
    }),
    txHash: optionalText({ name: 'tx_hash', description: 'Only this transaction.' }),
    startFrom: optionalTimeS('start_from', 'First second, unix time.'),
    endAt: optionalTimeS('end_at', 'Last second, unix time; without it now.'),
    limit: rowLimit({ description: 'Swaps at most.', default: 100, max: 300 }),
  },
  answer: arrayOf(ref('SwapTx')),
  async run({ chain, account, txHash, startFrom, endAt, limit }, { store, clock, rows }) {
    const wallet = canonicalAddress(chain, account, 'account_address')
    const range = timeRangeOf(startFrom, endAt, nowSOf(chain, clock), {
      from: 'start_from',
      to: 'end_at',
    })
    const swaps = await readWalletSwaps(store, {
      chain,
      wallet,
      ...range,
      limit,
      txHash: hashOf(chain, txHash),
      token: null,
      before: null,
      toRow: (swap) => swapTxRow(chain, swap, rows.record),
    })
    return { json: JSON.stringify(swaps) }
  },
})

/** Parses a transaction hash to the chain's canonical spelling. */
function hashOf({ ids }: GatewayChain, text: string | null): string | null {
  if (text === null) return null
  const hash = ids.transaction(text)
  if (hash === null)
    throw new RequestError('invalid_param', 'tx_hash is not a transaction hash.', 'tx_hash')
  return hash
}
