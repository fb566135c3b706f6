import { zeroAddress } from 'viem'
import type { Holdings } from '../market.ts'
import { decodeLog, tokenEvents, wrappedTokenEvents } from './events.ts'
import type { ChainLog } from './readChain.ts'

/** Balances computed from transfers only. */
export type Balances = Holdings & { take(log: ChainLog): void }

export function createBalances(wrappedToken: string): Balances {
  const balances = new Map<string, Map<string, bigint>>()

  function move(token: string, from: string, to: string, amount: bigint): void {
    let wallets = balances.get(token)
    if (!wallets) {
      wallets = new Map()
      balances.set(token, wallets)
    }
    wallets.set(from, (wallets.get(from) ?? 0n) - amount)
    wallets.set(to, (wallets.get(to) ?? 0n) + amount)
  }

  return {
    take(log) {
      const token = log.address
      const abi = token === wrappedToken ? wrappedTokenEvents : tokenEvents
      const event = decodeLog(abi, log)
      switch (event?.eventName) {
        case 'Transfer': {
          const { from, to, value } = event.args
          return move(token, from.toLowerCase(), to.toLowerCase(), value)
        }
        case 'Deposit':
          return move(token, zeroAddress, event.args.dst.toLowerCase(), event.args.wad)
        case 'Withdrawal':
          return move(token, event.args.src.toLowerCase(), zeroAddress, event.args.wad)
      }
    },
    balanceOf: (token, wallet) => balances.get(token)?.get(wallet) ?? 0n,
    walletsOf(token) {
      const wallets = new Map(balances.get(token))
      wallets.delete(zeroAddress)
      return wallets
    },
    // Mints are transfers from the zero address, so its negative balance is the supply.
    supplyOf: (token) => -(balances.get(token)?.get(zeroAddress) ?? 0n),
    // The chain is read from its first block, so all transfers are known.
    isWhole: () => true,
  }
}
