/** What a contract's code lets somebody do. Null: cannot be told. */
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
  /** Null: not known. */
  previous: string | null
  balanceRaw: bigint | null
}

export type CreatorFacts = { address: string; txHash: string | null; balanceRaw: bigint | null }

export type RoleHolder = {
  /** By name where it is known, else its hash. */
  role: string
  address: string
}

/** Who may do what beside an owner. */
export type RoleFacts = {
  holders: readonly RoleHolder[]
  /** False: there may be more. */
  isWhole: boolean
}

/** One of the lists by which a token of the chain's node decides who may send, receive and be seized. */
export type PolicyFacts = {
  /** Where it applies, for example `TRANSFER_SENDER_POLICY`. */
  scope: string
  /** Zero lets everybody pass. */
  id: bigint
  type: string
  /** Null: nobody can change it. */
  admin: string | null
}

/** Facts of a token that the chain's node runs itself. */
export type NativeFacts = {
  /** Null: a standard that is not known. */
  standard: string | null
  /** Null: no cap, or unknown. */
  supplyCapRaw: bigint | null
  isTransferPaused: boolean | null
  policies: readonly PolicyFacts[]
}

/** One LP holder. `kind` says what is known of the address. */
export type LpHolder = {
  address: string
  amountRaw: bigint
  kind: 'burn' | 'lock' | 'creator' | 'contract' | 'wallet'
}

export type LpFacts = {
  /** The pair whose shares these are. */
  pair: string
  totalRaw: bigint
  /** False: the pool has positions, and shares are parts of what these are worth. */
  isSupply: boolean
  decimals: number
  /** Largest first. */
  holders: readonly LpHolder[]
  /** Null: not every holder is known. */
  holderCount: number | null
  /** At burn addresses; null: not known. */
  burntRaw: bigint | null
  /** At lockers; null: not known. */
  lockedRaw: bigint | null
  /** Of owner and creator together; null: not known, or neither is. */
  makerRaw: bigint | null
}

/** Shares kept on the way, as fractions 0..1. Null: that step was not reached or could not be measured. */
export type TradeFacts = {
  canBuy: boolean
  canSell: boolean
  /** False: less than all could be sold. Null when nothing could. */
  canSellAll: boolean | null
  buyTax: number | null
  sellTax: number | null
  transferTax: number | null
  canTransfer: boolean | null
  /** What the chain charges for, of the buying transaction alone; and so on. */
  buyFeeUnits: number | null
  sellFeeUnits: number | null
  approveFeeUnits: number | null
  /** What the token or the pool said when it refused; empty when it said nothing. */
  reason: string
}

/** Known holders trying to sell what they have. */
export type HolderSells = {
  /** Sold and failed. */
  tried: number
  sold: number
  failed: number
  /** Could not sell in a contract's place, and could send to the pool in their own. */
  unclear: number
  /** Shares kept of each sale that could be measured, as fractions. */
  taxes: readonly number[]
}

/** What the chain says of a token now. Null: cannot be told. */
export type ContractFindings = {
  hasCode: boolean | null
  isProxy: boolean | null
  /** The code behind the address can be replaced. */
  isUpgradeable: boolean | null
  flags: CodeFlags | null
  owner: OwnerFacts | null
  /** Null: the contract has none, or none that is known. */
  roles: RoleFacts | null
  creator: CreatorFacts | null
  /** Null: the token has code. Undefined: stored before this was read. */
  native?: NativeFacts | null
  /** Factor of displayed balances (ERC-8056), in 1e-18; null: the token does not answer. */
  uiMultiplier?: bigint | null
  /** When the contract was made. */
  createdAtS: number | null
  lp: LpFacts | null
  /**
   * The share that the token keeps of whatever is sent, at most, as a fraction, where this is written in the chain: it
   * holds for any trade, simulated or not. Null: it can only be measured.
   */
  transferFee: number | null
  trade: TradeFacts | null
  holderSells: HolderSells | null
  /** Why no trade could be simulated; empty when one was. */
  tradeError: string
  /** Price of one fee unit, in raw native units. */
  feeUnitRaw: bigint | null
}

/** `null`: not checked. */
export type HoneypotVerdict = boolean | null

export type RiskItem = { code: string; points: number }

export type RiskReport = ContractFindings & {
  block: { number: number; hash: string; timeS: number }
  isHoneypot: HoneypotVerdict
  /** The chain's config names it as a quote asset. */
  isListed: boolean
  /** An earlier report of this run found a honeypot of the same creator. Null: none is known. */
  hasHoneypotOfCreator: true | null
  /** Somebody was known who could try to sell; undefined: stored before this was said. */
  hadHolders?: boolean
  /** 0..100, higher is worse. */
  score: number
  items: readonly RiskItem[]
}
