import type { DecodedTransfer } from '../../model/decodedBlock.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { BlockScope, LogDecoder, LogDecoders } from '../../venues/evm/decoding/blockScope.ts'
import { dataLength, readUint } from '../../venues/evm/decoding/hexWords.ts'
import { nativeTransferLogger } from '../../venues/evm/decoding/transactionFacts.ts'

export const zeroAddress = `0x${'0'.repeat(40)}`

const decodeTransfer: LogDecoder = (log, scope) => {
  if (log.address === nativeTransferLogger) return true
  // Four topics: the Transfer of an ERC-721, which is common and not needed.
  if (log.topics.length === 4) return true
  if (log.topics.length !== 3 || log.data.length < dataLength(1)) return false
  const from = scope.addresses.ofTopic(log.topics[1]!)
  const to = scope.addresses.ofTopic(log.topics[2]!)
  if (from === null || to === null) return false
  const amount = readUint(log.data, 0)
  scope.push(transferOf(log, from, to, amount))
  return true
}

// WETH9 mints and burns without a Transfer.
const decodeDeposit: LogDecoder = (log, scope) => {
  if (!isWrappedToken(log.address, scope)) return true
  if (log.topics.length !== 2 || log.data.length < dataLength(1)) return false
  const to = scope.addresses.ofTopic(log.topics[1]!)
  if (to === null) return false
  scope.push(transferOf(log, zeroAddress, to, readUint(log.data, 0)))
  return true
}

const decodeWithdrawal: LogDecoder = (log, scope) => {
  if (!isWrappedToken(log.address, scope)) return true
  if (log.topics.length !== 2 || log.data.length < dataLength(1)) return false
  const from = scope.addresses.ofTopic(log.topics[1]!)
  if (from === null) return false
  scope.push(transferOf(log, from, zeroAddress, readUint(log.data, 0)))
  return true
}

function transferOf(log: EvmLog, from: string, to: string, amount: bigint): DecodedTransfer {
  const { logIndex: index, transactionHash: txHash, address: token } = log
  return { type: 'transfer', index, txHash, token, from, to, amount }
}

function isWrappedToken(address: string, { options }: BlockScope): boolean {
  return options.wrappedTokens === null || options.wrappedTokens.has(address)
}

/**
 * ERC-20 Transfer(address,address,uint256); WETH9 Deposit(address,uint256) and
 * Withdrawal(address,uint256).
 */
export const erc20Decoders: LogDecoders = {
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef': decodeTransfer,
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c': decodeDeposit,
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65': decodeWithdrawal,
}
