import { decodeBase58 } from '../../lib/bytes/base58.ts'
import type { DecodedBalance, DecodedEvent } from '../../model/decodedBlock.ts'
import type {
  RpcInstruction,
  RpcMessage,
  RpcMeta,
  RpcTokenBalance,
  RpcTransaction,
} from '../../model/solana/rpcTransaction.ts'
import { nextIndexOf } from '../../venues/solana/decoding/transactionScope.ts'

/** Decides which holder a token account counts for. */
export type HolderRule = {
  /** Authorities shared by many pools' vaults: each of their accounts is a holder of its own. */
  sharedOwners: ReadonlySet<string>
}

type Holding = Pick<DecodedBalance, 'token' | 'owner' | 'amount'> & {
  before: bigint
  accounts: { isOpened: boolean; isClosed: boolean }
  isChanged: boolean
}

/**
 * Amount of an account before or after the transaction. Null: the account does not exist then.
 * `notTheirs`: another owner has it.
 */
type Content = string | null
const notTheirs = 'not theirs'

/**
 * Pushes the balances of owners whose accounts the transaction changed. Nodes only list accounts
 * that the transaction names; an owner may have further accounts of the token. The balance before
 * is reported, too, so that these can be inferred.
 */
export function pushBalanceEvents(
  { meta, transaction }: RpcTransaction,
  { sharedOwners }: HolderRule,
  events: DecodedEvent[],
): void {
  if (!meta || (meta.err !== null && meta.err !== undefined)) return
  // Transactions in binary form are skipped: reading every key costs more than the balances are
  // worth.
  if (!('message' in transaction)) return
  const { preTokenBalances, postTokenBalances } = meta
  if (!preTokenBalances?.length && !postTokenBalances?.length) return
  const before = new Map<number, RpcTokenBalance>()
  for (const balance of preTokenBalances ?? []) before.set(balance.accountIndex, balance)
  const hidden = hiddenMints(transaction.message, meta)
  const holdings = new Map<string, Holding>()
  const add = (balance: RpcTokenBalance, had: Content, has: Content) => {
    const owner = sharedOwners.has(balance.owner ?? '')
      ? accountAt(balance.accountIndex, transaction.message, meta)
      : (balance.owner ?? null)
    // Nodes did not return owners before 2022.
    if (owner === null) return
    const key = `${balance.mint} ${owner}`
    const known = holdings.get(key) ?? emptyHolding(balance.mint, owner)
    known.amount += amountOf(has)
    known.before += amountOf(had)
    known.accounts.isOpened ||= had === null
    known.accounts.isClosed ||= has === null
    known.isChanged ||= had !== has || hidden.has(balance.mint)
    holdings.set(key, known)
  }
  for (const balance of postTokenBalances ?? []) {
    const old = before.get(balance.accountIndex)
    before.delete(balance.accountIndex)
    const { amount } = balance.uiTokenAmount
    const had = old?.uiTokenAmount.amount ?? null
    const isSame = old === undefined || old.owner === balance.owner
    add(balance, isSame ? had : notTheirs, amount)
    // The account changed its owner: the old owner has nothing in it.
    if (!isSame) add(old, had, notTheirs)
  }
  for (const balance of before.values()) add(balance, balance.uiTokenAmount.amount, null)
  const txHash = transaction.signatures[0] ?? ''
  for (const { isChanged, ...holding } of holdings.values())
    if (isChanged)
      events.push({
        type: 'balance',
        index: nextIndexOf(events),
        txHash,
        ...holding,
        ...(hidden.has(holding.token) && { isHidden: true }),
      })
}

function emptyHolding(token: string, owner: string): Holding {
  const accounts = { isOpened: false, isClosed: false }
  return { token, owner, amount: 0n, before: 0n, accounts, isChanged: false }
}

function amountOf(content: Content): bigint {
  return content === null || content === notTheirs ? 0n : BigInt(content)
}

function accountAt(index: number, { accountKeys }: RpcMessage, { loadedAddresses }: RpcMeta) {
  const { writable = [], readonly = [] } = loadedAddresses ?? {}
  const looked = index - accountKeys.length
  if (looked < 0) return accountKeys[index]!
  return writable[looked] ?? readonly[looked - writable.length] ?? null
}

const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
// Token-2022's confidential instructions: deposit, withdraw, transfer, transfer with a fee; mint
// and burn.
const hidingTags: ReadonlySet<number> = new Set([0x1b05, 0x1b06, 0x1b07, 0x1b0d, 0x2a03, 0x2a04])
const mintAt = 1
// The shortest instruction on encrypted balances, a deposit, has eleven bytes: 15 characters of
// base58. Shorter data, such as a plain transfer, is not decoded.
const textCharsMin = 15
const noMints: ReadonlySet<string> = new Set()

/** Mints of which a transaction moved encrypted amounts. */
function hiddenMints(message: RpcMessage, meta: RpcMeta): ReadonlySet<string> {
  const { accountKeys } = message
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const isNamed = [accountKeys, writable, readonly].some((keys) => keys.includes(token2022))
  if (!isNamed) return noMints
  const keys = [...accountKeys, ...writable, ...readonly]
  const mints = new Set<string>()
  const look = (instructions: readonly RpcInstruction[]) => {
    for (const { programIdIndex, accounts, data } of instructions) {
      const mint = keys[accounts[mintAt] ?? -1]
      if (keys[programIdIndex] === token2022 && mint !== undefined && isHiding(data))
        mints.add(mint)
    }
  }
  look(message.instructions)
  for (const { instructions } of meta.innerInstructions ?? []) look(instructions)
  return mints
}

function isHiding(data: string | Buffer): boolean {
  if (typeof data === 'string' && data.length < textCharsMin) return false
  const bytes = typeof data === 'string' ? decodeBase58(data) : data
  return bytes !== null && bytes.length > 1 && hidingTags.has(bytes[0]! * 256 + bytes[1]!)
}
