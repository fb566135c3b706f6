import type { Rpc } from '../../chain/rpc/rpc.ts'
import { keyIn, type MintAccount, readAccounts, readMint } from '../../chain/solana/accounts.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import {
  nothingFound,
  type RiskChecker,
  type RiskLimits,
  riskLimitsDefault,
} from '../riskChecker.ts'
import type { CodeFlags, ContractFindings, OwnerFacts, TradeFacts } from '../riskReport.ts'
import { readLpShares } from './lpShares.ts'
import { type SimulatedSells, simulateSells } from './sell/simulateSells.ts'

// Extensions of Token-2022, by their numbers.
const closeAuthority = 3
const defaultState = 6
const nonTransferable = 9
const interestBearing = 10
const permanentDelegate = 12
const transferHook = 14
const scaledAmounts = 25
const pausable = 26

const frozen = 2
const keyBytes = 32
/** The system program's address, which has no key. */
const systemProgram = '11111111111111111111111111111111'

type MintCheckerOptions = {
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  profile: Pick<ChainProfile, 'burnAddresses' | 'lockers'>
  /** @default those of the risk checks */
  limits?: Pick<RiskLimits, 'sellersMax' | 'poolsMax'> | undefined
}

/**
 * Reads what a mint allows its authorities, who can withdraw the liquidity, and whether holders
 * could sell. Two shared programs run all mints, so the mint's account shows every power: nothing
 * is guessed from code.
 */
export function createMintChecker(options: MintCheckerOptions): RiskChecker {
  const { rpc, profile, limits = riskLimitsDefault } = options
  return {
    async check(subject, signal) {
      const { address, pools, launch } = subject
      const [account = null] = await readAccounts(rpc, [address], { signal })
      const mint = account && readMint(account)
      if (account === null || mint === null) return { ...nothingFound, hasCode: false }
      const { mintAuthority, freezeAuthority } = mint
      const makers = [mintAuthority, launch?.creator].filter((maker) => !!maker) as string[]
      const lp = await readLpShares({ rpc, profile, pools, makers, signal })
      const transferFee = await readTransferFee(rpc, mint, signal)
      const rulers = freezeAuthority === null ? makers : [...makers, freezeAuthority]
      const simulated = isBound(mint)
        ? { sells: null, error: '' }
        : await simulateSells({
            rpc,
            subject,
            tokenProgram: account.owner,
            makers: rulers,
            limits,
            signal,
          })
      return { ...findingsOf(mint), transferFee, lp, ...tradingOf(mint, simulated, transferFee) }
    },
  }
}

function findingsOf(mint: MintAccount): ContractFindings {
  return {
    ...nothingFound,
    hasCode: true,
    isProxy: false,
    isUpgradeable: false,
    flags: flagsOf(mint),
    owner: ownerOf(mint),
  }
}

export function flagsOf(mint: MintAccount): CodeFlags {
  const { mintAuthority, freezeAuthority, extensions } = mint
  const hasKey = (type: number, at = 0) => keyIn(extensions.get(type), at) !== null
  return {
    canMint: mintAuthority !== null,
    canPause: hasKey(pausable),
    // Freezing an account blocks its owner from sending.
    canBlacklist: freezeAuthority !== null,
    // Accounts that start frozen can do nothing until they are thawed.
    canWhitelist: startsFrozen(mint) && freezeAuthority !== null,
    canChangeTax: hasKey(transferFeeExtension),
    canChangePersonalTax: false,
    canChangeBalance: hasKey(permanentDelegate) || hasKey(interestBearing) || hasKey(scaledAmounts),
    hasMaxAmount: false,
    canChangeMaxAmount: false,
    hasCooldown: false,
    canTakeBackOwnership: false,
    hasHiddenOwner: false,
    canSelfDestruct: hasKey(closeAuthority),
    // The hook's authority, then its program: the authority may set a program later.
    callsOutside: hasKey(transferHook, keyBytes) || hasKey(transferHook),
    seesContracts: hasKey(transferHook, keyBytes),
  }
}

/** The mint authority is the closest thing to an owner. */
function ownerOf({ mintAuthority, freezeAuthority }: MintAccount): OwnerFacts {
  const address = mintAuthority ?? freezeAuthority
  const rest = { previous: null, balanceRaw: null }
  return { address: address ?? systemProgram, isRenounced: address === null, ...rest }
}

/** A token that cannot be sent cannot be traded. */
function isBound({ extensions }: MintAccount): boolean {
  return extensions.has(nonTransferable)
}

/** Accounts of the token start frozen: a buyer must wait to be thawed. */
function startsFrozen({ extensions }: MintAccount): boolean {
  return extensions.get(defaultState)?.[0] === frozen
}

/**
 * The mint shows whether the token can be bought; simulated sales of holders show whether it can be
 * sold.
 */
function tradingOf(
  mint: MintAccount,
  { sells, error }: SimulatedSells,
  transferFee: number | null,
): Pick<ContractFindings, 'trade' | 'holderSells' | 'tradeError'> {
  const fees = { buyFeeUnits: null, sellFeeUnits: null, approveFeeUnits: null }
  if (isBound(mint)) {
    const unknownTrade = { canSellAll: null, buyTax: null, sellTax: null, transferTax: null }
    const refused = { canBuy: false, canSell: false, canTransfer: false }
    const trade = { ...refused, ...unknownTrade, ...fees, reason: 'The mint is not transferable.' }
    return { trade, holderSells: null, tradeError: '' }
  }
  if (sells === null) return { trade: null, holderSells: null, tradeError: error }
  const canSell = sells.sold > 0
  const tax = canSell ? transferFee : null
  const trade: TradeFacts = {
    canBuy: !startsFrozen(mint),
    canSell,
    canTransfer: canSell,
    // Each simulated sale was of the whole balance.
    canSellAll: canSell ? true : null,
    buyTax: tax,
    sellTax: tax,
    transferTax: tax,
    ...fees,
    reason: canSell ? '' : 'The token does not let its holders send it.',
  }
  const taxes = tax === null ? [] : Array.from({ length: sells.sold }, () => tax)
  return { trade, holderSells: { ...sells, taxes }, tradeError: '' }
}

/** Number of Token-2022's transfer fee extension. */
export const transferFeeExtension = 1

const configBytes = 108
// Offsets of the older fee; the newer follows. Each has its first epoch, the most it takes of one
// transfer, and its rate in 1/10,000.
const olderAt = 72
const newerAt = 90
const wholeParts = 10_000

type Fee = { fromEpoch: bigint; max: bigint; parts: number }

/**
 * The largest part withheld from every transfer of a mint, as a fraction. Only the token programs
 * move tokens, and they withhold nothing else.
 */
async function readTransferFee(
  rpc: Pick<Rpc, 'request'>,
  { extensions }: MintAccount,
  signal: AbortSignal,
): Promise<number | null> {
  const config = extensions.get(transferFeeExtension)
  if (config === undefined) return 0
  if (config.length < configBytes) return null
  const [older, newer] = [feeAt(config, olderAt), feeAt(config, newerAt)]
  if (shareOf(older) === shareOf(newer)) return shareOf(newer)
  const epoch = await readEpoch(rpc, signal)
  if (epoch === null) return null
  return shareOf(epoch >= newer.fromEpoch ? newer : older)
}

function feeAt(config: Buffer, at: number): Fee {
  return {
    fromEpoch: config.readBigUInt64LE(at),
    max: config.readBigUInt64LE(at + 8),
    parts: config.readUInt16LE(at + 16),
  }
}

function shareOf({ max, parts }: Fee): number {
  return max === 0n ? 0 : Math.min(parts, wholeParts) / wholeParts
}

/** Null if the node does not answer. */
async function readEpoch(rpc: Pick<Rpc, 'request'>, signal: AbortSignal): Promise<bigint | null> {
  const params = [{ commitment: 'confirmed' }]
  const told = await rpc.request('getEpochInfo', params, { signal }).catch(() => null)
  const { epoch } = (told ?? {}) as { epoch?: unknown }
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? BigInt(epoch) : null
}
