import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'

/** Accounts that act on the chain. Their keys follow from the seed: play money, not a secret. */
export type Wallets = {
  /** Deploys and owns every contract except the locker, which has no owner. */
  deployer: Address
  /** Provide liquidity. */
  lps: readonly Address[]
  arbitrageurs: readonly Address[]
  traders: readonly Address[]
  privateKeys: readonly Hex[]
}

const lpCount = 3
const arbitrageurCount = 2
const traderCount = 150

export function createWallets(seed: string): Wallets {
  const count = 1 + lpCount + arbitrageurCount + traderCount
  const privateKeys = Array.from({ length: count }, (_, index): Hex => {
    return `0x${createHash('sha256').update(`wallet/${seed}/${index}`).digest('hex')}`
  })
  const all = privateKeys.map((key) => privateKeyToAddress(key).toLowerCase() as Address)
  const tradersStart = 1 + lpCount + arbitrageurCount
  return {
    deployer: all[0]!,
    lps: all.slice(1, 1 + lpCount),
    arbitrageurs: all.slice(1 + lpCount, tradersStart),
    traders: all.slice(tradersStart),
    privateKeys,
  }
}

/** A token's crowd: the few wallets that trade it repeatedly. */
export function crowdOf(wallets: Wallets, index: number, size: number): Address[] {
  const { traders } = wallets
  return Array.from({ length: size }, (_, i) => traders[(index * 37 + i * 11) % traders.length]!)
}
