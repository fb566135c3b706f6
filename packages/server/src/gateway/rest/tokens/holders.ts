import type { TokenFacts } from '../../../engine/marketReads.ts'
import type { Position } from '../../../model/position.ts'
import { isTotalSupplyKnown } from '../../../model/token.ts'
import type { WalletFacts, WalletHoldings } from '../../../model/walletFacts.ts'
import type { Holder } from '../../../store/read/holders.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { awaitStore } from '../../chain/storeReads.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { type ChainAddress, orderInput, rowLimitInput, tokenIdInput } from '../../inputs/inputs.ts'
import { balanceUsdWorth } from '../../rows/usdReason.ts'
import { jsonNumber, jsonObject, jsonTokenAmount, ratioOf } from '../../rows/wireNumber.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import {
  creatorOf,
  holderRole,
  knownHolders,
  riskHoldersMax,
  riskSubjectOf,
} from '../risk/riskSubjectOf.ts'
import { encodeHolderTrades, type HolderMembers } from '../wallets/positionFields.ts'

const limitMax = 100
const unknownFacts: WalletFacts = { nativeRaw: null, isContract: null }

/**
 * GET /v2/tokens/top100/{token-id}: a token's largest holders, with their kind and their trades.
 */
export const topHolders = defineOperation({
  id: 'topHolders',
  method: 'GET',
  path: '/v2/tokens/top100/{token-id}',
  cost: 10,
  tag: 'tokens',
  summary: 'Top holders of a token',
  description:
    'Largest balance first, as of the newest block in the database (`persisted_block` of /health/ready). Balances are ' +
    'sums of transfers, or the balance that the contract reports after that block if it differs, as with tokens that ' +
    'rebase. `holders_complete` in the token row says whether all transfers since its creation are counted. ' +
    'The trades of a holder come from the stored swaps; they are absent if there are too many to sum up.',
  inputs: {
    token: tokenIdInput,
    limit: rowLimitInput({
      description: 'Maximum number of rows.',
      default: limitMax,
      max: limitMax,
    }),
  },
  answer: { ...arraySchema(componentRef('TokenHolder')), maxItems: limitMax },
  async run({ token, limit }, serving) {
    const rows = await topHolderRows(serving, token, limit)
    return rows === null
      ? { json: '[]', msg: 'SUCCESS: token not found' }
      : { json: `[${rows.map((row) => jsonObject({ ...row, remark: '""' })).join()}]` }
  },
})

/** Encodes members of the largest holders' rows, largest first. Null: unknown token. */
async function topHolderRows(
  { store, positions: traded }: OperationContext,
  { chain, address }: ChainAddress,
  limit: number,
): Promise<HolderMembers[] | null> {
  const tokenId = chain.reads.findToken(address)
  if (tokenId === undefined) return null
  const found = await awaitStore(store.topHolders(chain.storeId, tokenId, limit))
  const wallets = found.holders.map(({ wallet }) => wallet)
  const [facts, positions, reported] = await Promise.all([
    chain.wallets.read(wallets),
    traded.read(chain, address, wallets),
    chain.wallets.readHoldings({ token: address, wallets, number: found.number }),
  ])
  const holders = withReportedBalances(found.holders, reported)
  // A reorg may have reverted the token while the store and the nodes were queried.
  if (chain.reads.findToken(address) !== tokenId) return []
  const token = chain.reads.tokenFacts(tokenId)
  // Starts a risk check for later requests: it finds the creator, who may be among the holders.
  const isAsked = creatorOf(chain, token) !== null || chain.profile.quotes.includes(address)
  if (!isAsked && limit >= riskHoldersMax)
    chain.risk.learn(address, () => riskSubjectOf(chain, tokenId, knownHolders(holders, facts)))
  return holders.map((holder) => ({
    ...holderMembers(chain, token, holder, facts.get(holder.wallet) ?? unknownFacts),
    ...tradeMembers(token, holder.balance, positions.get(holder.wallet)),
  }))
}

function tradeMembers(
  { record, price, isImplausible }: TokenFacts,
  balanceRaw: bigint,
  position: Position | undefined,
): HolderMembers {
  if (position === undefined) return {}
  const { decimals } = record
  const priceUsd = isImplausible ? 0 : (price?.usd ?? 0)
  return encodeHolderTrades(position, { balanceRaw, priceUsd, decimals })
}

function holderMembers(
  chain: GatewayChain,
  token: TokenFacts,
  { wallet, balance }: Holder,
  { nativeRaw, isContract }: WalletFacts,
): HolderMembers {
  const { record, supply } = token
  const worth = balanceUsdWorth(token, balance)
  const address = JSON.stringify(wallet)
  const { kind, alias } = holderRole(chain, token, wallet, isContract)
  // A holder's share is capped at 1, because the supply may be of a newer block than the balances.
  const ratio = Math.min(1, ratioOf(balance, supply?.total ?? 0n))
  return {
    holder: address,
    address,
    amount_cur: jsonTokenAmount(balance, record.decimals),
    balance_ratio: jsonNumber(ratio),
    ...(isTotalSupplyKnown(supply) ? {} : { balance_ratio_known: 'false' }),
    balance_usd: jsonNumber(worth.usd),
    ...(worth.reason === null ? {} : { usd_reason: JSON.stringify(worth.reason) }),
    main_coin_balance: jsonTokenAmount(nativeRaw ?? 0n, chain.profile.native.decimals),
    main_coin_balance_known: String(nativeRaw !== null),
    kind: JSON.stringify(kind),
    ...(isContract === null ? {} : { is_contract: String(isContract) }),
    addr_alias: JSON.stringify(alias),
  }
}

/** GET /v2/tokens/holders/{token-id}: a token's largest holders in the requested order. */
export const tokenHolders = defineOperation({
  id: 'tokenHolders',
  method: 'GET',
  path: '/v2/tokens/holders/{token-id}',
  cost: 10,
  tag: 'tokens',
  summary: 'Holders of a token',
  description:
    'The `limit` largest holders. Both sort keys give the same order, because the supply is the same for all.',
  inputs: {
    token: tokenIdInput,
    limit: rowLimitInput({ description: 'Maximum number of holders.', default: 100, max: 100 }),
    sortBy: orderInput({
      name: 'sort_by',
      description: 'Sort key.',
      words: ['balance', 'percentage'],
      default: 'balance',
    }),
    order: orderInput({
      name: 'order',
      description: 'Direction.',
      words: ['desc', 'asc'],
      default: 'desc',
    }),
  },
  answer: arraySchema(componentRef('ListedHolder')),
  async run({ token, limit, order }, serving) {
    const rows = await topHolderRows(serving, token, limit)
    if (rows === null) return { json: '[]', msg: 'SUCCESS: token not found' }
    const texts = rows.map((row) => jsonObject({ ...row, new_tags: '[]' }))
    return { json: `[${(order === 'asc' ? texts.reverse() : texts).join()}]` }
  },
})

/**
 * Replaces counted balances by balances that the token's contract reports at the same block. The
 * two differ for rebasing tokens and for tokens that pay holders without transfers. Holders without
 * a report keep the counted balance.
 */
function withReportedBalances(
  counted: readonly Holder[],
  reported: WalletHoldings,
): readonly Holder[] {
  const balanceOf = ({ wallet, balance }: Holder) => reported.get(wallet) ?? balance
  if (counted.every((holder) => balanceOf(holder) === holder.balance)) return counted
  const holders = counted.map((holder) => ({ wallet: holder.wallet, balance: balanceOf(holder) }))
  return holders.filter(({ balance }) => balance > 0n).sort(largestFirst)
}

function largestFirst(a: Holder, b: Holder): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1
  return a.wallet < b.wallet ? -1 : 1
}
