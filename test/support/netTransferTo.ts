import type { Address } from 'viem'
import type { Receipt } from './simulate.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Net amount of a token that a contract received in a transaction, from its transfers. */
export function netTransferTo({ logs }: Receipt, token: Address, holder: Address): bigint {
  let sum = 0n
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== token || topics[0] !== transferTopic) continue
    const isOf = (place: number) => `0x${topics[place]?.slice(26)}` === holder
    if (isOf(2)) sum += BigInt(data)
    if (isOf(1)) sum -= BigInt(data)
  }
  return sum
}
