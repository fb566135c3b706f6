/** Powers that a contract's code gives somebody. Null: unknown. */
export type CodeFlags = {
  canMint: boolean | null
  canPause: boolean | null
  canBlacklist: boolean | null
  canWhitelist: boolean | null
  canChangeTax: boolean | null
  canChangePersonalTax: boolean | null
  canChangeBalance: boolean | null
  hasMaxAmount: boolean | null
  canChangeMaxAmount: boolean | null
  hasCooldown: boolean | null
  canTakeBackOwnership: boolean | null
  hasHiddenOwner: boolean | null
  canSelfDestruct: boolean | null
  /** A transfer calls another contract. */
  callsOutside: boolean | null
  /** A transfer may tell contracts from people. */
  seesContracts: boolean | null
}

export type OwnerFacts = {
  address: string
  isRenounced: boolean
  /** Null if unknown. */
  previous: string | null
  balanceRaw: bigint | null
}

type CreatorFacts = { address: string; txHash: string | null; balanceRaw: bigint | null }

export type RoleHolder = {
  /** The role's name if known, else its hash. */
  role: string
  address: string
}

/** Roles beside the owner. */
export type RoleFacts = {
  holders: readonly RoleHolder[]
  /** False if there may be more holders. */
  isWhole: boolean
}

/**
 * One of the lists by which a token of the chain's node decides which accounts may send, receive or
 * be seized.
 */
export type PolicyFacts = {
  /** Where it applies, for example `TRANSFER_SENDER_POLICY`. */
  scope: string
  /** Zero allows everybody. */
  id: bigint
  type: string
  /** Null if the policy cannot change. */
  admin: string | null
}

/** Facts of a token that the node itself implements. */
export type NativeFacts = {
  /** Null if the standard is unknown. */
  standard: string | null
  /** Null if there is no cap or it is unknown. */
  supplyCapRaw: bigint | null
  isTransferPaused: boolean | null
  policies: readonly PolicyFacts[]
}

/** One LP holder. `kind` classifies the address. */
export type LpHolder = {
  address: string
  amountRaw: bigint
  kind: 'burn' | 'lock' | 'creator' | 'contract' | 'wallet'
}

export type LpFacts = {
  /** The pair of these shares. */
  pair: string
  totalRaw: bigint
  /** False if the pool has positions, and shares are parts of their value. */
  isSupply: boolean
  decimals: number
  /** Largest first. */
  holders: readonly LpHolder[]
  /** Null if some holder is unknown. */
  holderCount: number | null
  /** Shares at burn addresses; null if unknown. */
  burntRaw: bigint | null
  /** Shares in lockers; null if unknown. */
  lockedRaw: bigint | null
  /** Shares of owner and creator together; null if unknown. */
  makerRaw: bigint | null
}

/** Parts lost at each step, 0 to 1. Null: the step was not reached or could not be measured. */
export type TradeFacts = {
  canBuy: boolean
  canSell: boolean
  /** False if only part could be sold, null if nothing could. */
  canSellAll: boolean | null
  buyTax: number | null
  sellTax: number | null
  transferTax: number | null
  canTransfer: boolean | null
  /** Fee units that the chain charges for the buy; likewise below. */
  buyFeeUnits: number | null
  sellFeeUnits: number | null
  approveFeeUnits: number | null
  /** Revert reason of the token or the pool; empty if there was none. */
  reason: string
}

/** Simulated sales of known holders. */
export type HolderSells = {
  /** `sold` plus `failed`. */
  tried: number
  sold: number
  failed: number
  /**
   * Sales that failed through a contract although a transfer to the pool by the holder itself
   * worked.
   */
  unclear: number
  /** Tax of each sale that could be measured, as a fraction. */
  taxes: readonly number[]
}

/** A checker's findings about a token. Null: unknown. */
export type ContractFindings = {
  hasCode: boolean | null
  isProxy: boolean | null
  /** The code behind the address can be replaced. */
  isUpgradeable: boolean | null
  flags: CodeFlags | null
  owner: OwnerFacts | null
  /** Null if the contract has no known roles. */
  roles: RoleFacts | null
  creator: CreatorFacts | null
  /** Null: the token has code. Undefined: the stored report is older than this field. */
  native?: NativeFacts | null
  /** Factor of displayed balances (ERC-8056), in 1e-18; null if the token does not support it. */
  uiMultiplier?: bigint | null
  /** Creation time of the contract. */
  createdAtS: number | null
  lp: LpFacts | null
  /**
   * The largest part that the chain itself withholds from any transfer of the token, as a fraction.
   * Null if it can only be measured.
   */
  transferFee: number | null
  trade: TradeFacts | null
  holderSells: HolderSells | null
  /** Why no trade could be simulated; empty if one was. */
  tradeError: string
  /** Price of one fee unit, in raw native units. */
  feeUnitRaw: bigint | null
}

/** Null if it was not checked. */
export type HoneypotVerdict = boolean | null

export type RiskItem = { code: string; points: number }

export type RiskReport = ContractFindings & {
  block: { number: number; hash: string; timeS: number }
  isHoneypot: HoneypotVerdict
  /** True if the chain's config names the token as a quote asset. */
  isListed: boolean
  /** True if a cached report found another honeypot of the same creator. Null if none is known. */
  hasHoneypotOfCreator: true | null
  /**
   * True if holders were known who could try to sell; undefined if the stored report is older than
   * this field.
   */
  hadHolders?: boolean
  /** 0 to 100, higher is riskier. */
  score: number
  items: readonly RiskItem[]
}

/** A sale that loses half is almost worthless. */
const honeypotSellTax = 0.5
// With fewer holders one blocked account would decide.
const sellersMin = 5
const failedShareMax = 0.2

/**
 * Is the token a trap? True: it cannot be sold, only sold at a ruinous tax, or holders are locked
 * in. Null: nothing could be tried, or an anonymous sale failed in a way that the simulation itself
 * may cause.
 */
export function honeypotVerdict(findings: ContractFindings): HoneypotVerdict {
  const { trade, holderSells, flags, transferFee } = findings
  const tried = holderSells?.tried ?? 0
  const sold = holderSells?.sold ?? 0
  const isEverySellerCaught = tried > 0 && sold === 0
  if ((transferFee ?? 0) >= honeypotSellTax) return true
  if (trade === null || !trade.canBuy) return isEverySellerCaught ? true : null
  if (!trade.canSell) return sold < tried || !mayDetectSimulation(flags) ? true : null
  if ((trade.sellTax ?? 0) >= honeypotSellTax || isEverySellerCaught) return true
  return tried >= sellersMin && (tried - sold) / tried > failedShareMax
}

/** A token may refuse a second trade in one block, or contracts, and still let people trade. */
export function mayDetectSimulation(flags: CodeFlags | null): boolean {
  return flags?.hasCooldown !== false || flags.seesContracts !== false
}
