import type { RpcTransaction } from './rpcTransaction.ts'

type Json = Readonly<Record<string, unknown>>

const rawAmount = /^\d{1,20}$/

/**
 * Is it a transaction with its instructions, in the encodings json, base64 or base58? Checks every
 * field that is read.
 */
export function isRpcTransaction(value: unknown): value is RpcTransaction {
  if (!isObject(value)) return false
  return isSigned(value.transaction) && (value.meta === null || isMeta(value.meta))
}

function isSigned(signed: unknown): boolean {
  if (Array.isArray(signed)) return signed.length === 2 && signed.every(isText)
  if (!isObject(signed) || !isObject(signed.message)) return false
  const { accountKeys, instructions, header } = signed.message
  if (header !== undefined && !(isObject(header) && isPlace(header.numRequiredSignatures)))
    return false
  const isTold = isListOf(signed.signatures, isText) && isListOf(accountKeys, isText)
  return isTold && isListOf(instructions, isInstruction)
}

function isMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false
  const { innerInstructions, logMessages, loadedAddresses } = meta
  return (
    (isLeftOut(innerInstructions) || isListOf(innerInstructions, isInner)) &&
    (isLeftOut(logMessages) || isListOf(logMessages, isText)) &&
    (isLeftOut(loadedAddresses) || areLoaded(loadedAddresses)) &&
    areBalances(meta.preTokenBalances) &&
    areBalances(meta.postTokenBalances) &&
    areLamports(meta.preBalances) &&
    areLamports(meta.postBalances)
  )
}

function isInner(inner: unknown): boolean {
  return isObject(inner) && isPlace(inner.index) && isListOf(inner.instructions, isInstruction)
}

function isInstruction(instruction: unknown): boolean {
  if (!isObject(instruction)) return false
  const { programIdIndex, accounts, data, stackHeight } = instruction
  if (!isPlace(programIdIndex) || !isText(data) || !isListOf(accounts, isPlace)) return false
  return isLeftOut(stackHeight) || isPlace(stackHeight)
}

function areLoaded(loaded: unknown): boolean {
  if (!isObject(loaded)) return false
  return isListOf(loaded.writable, isText) && isListOf(loaded.readonly, isText)
}

function areBalances(balances: unknown): boolean {
  return isLeftOut(balances) || isListOf(balances, isBalance)
}

function isBalance(balance: unknown): boolean {
  if (!isObject(balance) || !isPlace(balance.accountIndex) || !isText(balance.mint)) return false
  const { owner, uiTokenAmount } = balance
  if (!isLeftOut(owner) && !isText(owner)) return false
  if (!isObject(uiTokenAmount) || !isText(uiTokenAmount.amount)) return false
  return rawAmount.test(uiTokenAmount.amount as string)
}

function areLamports(lamports: unknown): boolean {
  return isLeftOut(lamports) || isListOf(lamports, isNumber)
}

function isListOf(list: unknown, isItem: (item: unknown) => boolean): boolean {
  if (!Array.isArray(list)) return false
  for (const item of list) if (!isItem(item)) return false
  return true
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Test networks have more lamports than an exact double can hold. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isPlace(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
