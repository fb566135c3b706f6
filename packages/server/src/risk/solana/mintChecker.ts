import type { Rpc } from '../../chain/rpc/rpc.ts'
import { keyIn, type MintAccount, readMint } from '../../chain/solana/mintAccount.ts'
import { readAccounts } from '../../chain/solana/readAccounts.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { nothingFound, type RiskChecker } from '../riskChecker.ts'
import type { CodeFlags, ContractFindings, OwnerFacts, TradeFacts } from '../riskReport.ts'
import { readLpShares } from './lpShares.ts'
import { readTransferFee, transferFeeExtension } from './transferFee.ts'

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
/** Nobody's: the address that has no key. */
const nobody = '11111111111111111111111111111111'

export type MintCheckerOptions = {
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  profile: Pick<ChainProfile, 'burnAddresses' | 'lockers'>
}

/**
 * What a mint lets its authorities do, and who can take the liquidity away. All mints are run by the same two programs, so that its account says all there is:
 * nothing is guessed from code.
 */
export function createMintChecker({ rpc, profile }: MintCheckerOptions): RiskChecker {
  return {
    async check({ address, pools, launch }, signal) {
      const [account = null] = await readAccounts(rpc, [address], { signal })
      const mint = account && readMint(account)
      if (mint === null) return { ...nothingFound, hasCode: false }
      const makers = [mint.mintAuthority, launch?.creator].filter((maker) => !!maker) as string[]
      const lp = await readLpShares({ rpc, profile, pools, makers, signal })
      return { ...findingsOf(mint), transferFee: await readTransferFee(rpc, mint, signal), lp }
    },
  }
}

function findingsOf(mint: MintAccount): ContractFindings {
  return {
    ...nothingFound,
    ...{ hasCode: true, isProxy: false, isUpgradeable: false },
    flags: flagsOf(mint),
    owner: ownerOf(mint),
    ...tradeOf(mint),
  }
}

export function flagsOf({ mintAuthority, freezeAuthority, extensions }: MintAccount): CodeFlags {
  const startsFrozen = extensions.get(defaultState)?.[0] === frozen
  const hasKey = (type: number, at = 0) => keyIn(extensions.get(type), at) !== null
  return {
    canMint: mintAuthority !== null,
    canPause: hasKey(pausable),
    // Whoever freezes an account keeps its owner from sending.
    canBlacklist: freezeAuthority !== null,
    // Accounts that begin frozen can do nothing until they are let.
    canWhitelist: startsFrozen && freezeAuthority !== null,
    canChangeTax: hasKey(transferFeeExtension),
    canChangePersonalTax: false,
    canChangeBalance: hasKey(permanentDelegate) || hasKey(interestBearing) || hasKey(scaledAmounts),
    ...{ hasMaxAmount: false, canChangeMaxAmount: false, hasCooldown: false },
    ...{ canTakeBackOwnership: false, hasHiddenOwner: false },
    canSelfDestruct: hasKey(closeAuthority),
    // Its authority first, then the program; who may set one may set it later.
    callsOutside: hasKey(transferHook, keyBytes) || hasKey(transferHook),
    seesContracts: hasKey(transferHook, keyBytes),
  }
}

/** Who can make more of it is as near to an owner as a mint has. */
function ownerOf({ mintAuthority, freezeAuthority }: MintAccount): OwnerFacts {
  const address = mintAuthority ?? freezeAuthority
  const rest = { previous: null, balanceRaw: null }
  return { address: address ?? nobody, isRenounced: address === null, ...rest }
}

/** Without a simulation, what cannot be sent cannot be traded, and more is not known. */
function tradeOf({ extensions }: MintAccount): { trade: TradeFacts | null; tradeError: string } {
  if (!extensions.has(nonTransferable)) return { trade: null, tradeError: 'not simulated' }
  const untold = { canSellAll: null, buyTax: null, sellTax: null, transferTax: null }
  const fees = { buyFeeUnits: null, sellFeeUnits: null, approveFeeUnits: null }
  const trade = { canBuy: false, canSell: false, canTransfer: false, ...untold, ...fees }
  return { trade: { ...trade, reason: 'The mint is not transferable.' }, tradeError: '' }
}
