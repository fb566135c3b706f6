import type { CompatWalletTxs, WalletTx } from '@chaintape/protocol'
import { chainNowS } from '../../chain/gatewayChain.ts'
import { readWalletSwaps } from '../../chain/walletSwaps.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef } from '../../ground/schemas.ts'
import {
  fromTimeInput,
  optionalTextInput,
  quoteInput,
  requiredChainInput,
  rowLimitInput,
  timeRangeOf,
} from '../../inputs/inputs.ts'
import { swapTxRow, withPushedNames } from '../../rows/txRows.ts'
import { defineOperation } from '../operation.ts'
import {
  canonicalAddress,
  formatRfc3339,
  parseRfc3339,
  walletAddressInput,
} from './walletInputs.ts'

/** GET /v2/address/tx: swaps of a wallet, in pages. */
export const addressTxs = defineOperation({
  id: 'addressTxs',
  method: 'GET',
  path: '/v2/address/tx',
  cost: 100,
  tag: 'wallets',
  summary: 'Swaps of a wallet',
  description:
    'In trusted pools, newest first. For the next page, pass `time` and `id` of the last row as `last_time` and `last_id`. `pageSize` is an alias of `page_size`.',
  inputs: {
    wallet: walletAddressInput,
    chain: requiredChainInput,
    token: optionalTextInput({ name: 'token_address', description: 'Only swaps of this token.' }),
    fromTime: fromTimeInput,
    lastTime: optionalTextInput({
      name: 'last_time',
      description: 'Time of the last row of the previous page, RFC 3339 or unix seconds.',
      example: '2026-01-31T12:00:00Z',
    }),
    lastId: optionalTextInput({
      name: 'last_id',
      description: 'Id of the last row of the previous page; requires last_time.',
      example: '21000000-12',
    }),
    pageSize: rowLimitInput({
      alias: 'pageSize',
      name: 'page_size',
      description: 'Rows per page.',
      default: 100,
      max: 100,
    }),
  },
  answer: componentRef('WalletTxs'),
  envelopedAnswer: componentRef('CompatWalletTxs'),
  async run({ chain, wallet, token, fromTime: from, lastTime, lastId, pageSize }, serving) {
    const range = timeRangeOf(from, null, chainNowS(chain, serving.clock))
    const result = await readWalletSwaps(serving.store, {
      chain,
      ...range,
      limit: pageSize,
      txHash: null,
      wallet: canonicalAddress(chain, wallet, 'wallet_address'),
      token: token === null ? null : canonicalAddress(chain, token, 'token_address'),
      before: placeOf(lastTime, lastId),
      toRow: (swap) => ({
        ...withPushedNames(swapTxRow(chain, swap, serving.rows.record)),
        time: formatRfc3339(swap.timeS),
      }),
    })
    return {
      json: JSON.stringify({ result, tx_count: result.length }),
      enveloped: () => compatTxs(result),
    }
  },
})

/** Existing clients expect `time` as a number. */
function compatTxs(rows: readonly WalletTx[]): string {
  const result = rows.map((row) => ({ ...row, time: row.tx_time }))
  return JSON.stringify({ result, tx_count: result.length } satisfies CompatWalletTxs)
}

/** Returns where the previous page ended. Without an id, all swaps of that second are skipped. */
function placeOf(lastTime: string | null, lastId: string | null) {
  if (lastTime === null) {
    if (lastId !== null)
      throw new RequestError('missing_param', 'last_id requires last_time.', 'last_time')
    return null
  }
  const timeS = /^\d{1,12}$/.test(lastTime) ? Number(lastTime) : parseRfc3339(lastTime)
  if (timeS === null)
    throw new RequestError(
      'invalid_param',
      `${quoteInput(lastTime)} is neither an RFC 3339 time (example: 2026-01-31T12:00:00Z) nor unix seconds.`,
      'last_time',
    )
  const id = /^(\d{1,15})-(\d{1,9})$/.exec(lastId ?? '0-0')
  if (id === null)
    throw new RequestError(
      'invalid_param',
      `${quoteInput(lastId!)} is not the id of a row.`,
      'last_id',
    )
  return { timeS, block: Number(id[1]), index: Number(id[2]) }
}
