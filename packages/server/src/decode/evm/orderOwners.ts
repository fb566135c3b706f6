import type { LogDecoder, LogDecoders } from '../../venues/evm/decoding/blockScope.ts'
import { dataLength, readAddress, readUint } from '../../venues/evm/decoding/hexWords.ts'

// The signer of a transaction is not always the trader: solvers and fillers execute orders,
// bundlers the operations of smart accounts. Only contracts that check the owners' signatures are
// accepted: any other could attribute its trades to any wallet.

/** GPv2Settlement of CoW, the same on all chains. */
const settlements: ReadonlySet<string> = new Set(['0x9008d19f58aabd9ed0d60971565aa8510560ab41'])

/** Reactors of UniswapX. */
const reactors: ReadonlySet<string> = new Set([
  '0x6000da47483062a0d734ba3dc7576ce6a0b645c4',
  '0xe80bf394d190851e215d5f67b67f8f5a52783f1e',
  '0x00000011f84b9aa48e5f8aa8b9897600006289be',
  '0x1bd1aadc9e230626c44a139d7e70d842749351eb',
  '0x000000001ec5656dcdb24d90dfa42742738de729',
  '0xb274d5f4b833b61b340b654d600a864fb604a87c',
  '0x000000008a8330b5d1f43a62bf4c673a49f27ba0',
  '0x00000006021a6bce796be7ba509bbba71e956e37',
  '0x000000005af66799d1a6317714d66800f9ca1406',
  '0x00000000a55e50c71b70db3c8b58749cd1e18eb2',
])

/** Entry points of ERC-4337, versions 0.6 to 0.9. */
const entryPoints: ReadonlySet<string> = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
])

/** Trade precedes the swaps of its order. */
const decodeTrade: LogDecoder = (log, scope) => {
  if (!settlements.has(log.address)) return true
  const owner = log.topics.length === 2 ? scope.addresses.ofTopic(log.topics[1]!) : null
  if (owner === null || log.data.length < dataLength(5)) return false
  const [sold, bought] = [readAddress(log.data, 0), readAddress(log.data, 1)]
  const [gave, got, fee] = [2, 3, 4].map((word) => readUint(log.data, word)) as [
    bigint,
    bigint,
    bigint,
  ]
  scope.noteOrder(
    sold && bought ? { owner, sold, bought, paid: [gave, gave - fee], got } : { owner },
  )
  return true
}

/**
 * Fill follows the swaps of its order. Other reactors than the listed ones count only if the caller
 * accepts them.
 */
const decodeFill: LogDecoder = (log, scope) => {
  const isDoubtful = !reactors.has(log.address)
  if (isDoubtful && !scope.options.isAnyReactor) return true
  const swapper = log.topics.length === 4 ? scope.addresses.ofTopic(log.topics[3]!) : null
  if (swapper !== null) scope.noteOrder({ owner: swapper, isDoubtful })
  return isDoubtful || swapper !== null
}

/** The event follows the operation: all swaps since the one before belong to it. */
const decodeOperation: LogDecoder = (log, scope) => {
  if (!entryPoints.has(log.address)) return true
  const sender = log.topics.length === 4 ? scope.addresses.ofTopic(log.topics[2]!) : null
  if (sender !== null) scope.endOperation(sender)
  return sender !== null
}

/** Events that name the owner of a transaction's trades. */
export const orderOwnerDecoders: LogDecoders = {
  // Trade(address indexed owner, address sellToken, address buyToken, uint256, uint256, uint256
  // feeAmount, bytes orderUid)
  '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17': decodeTrade,
  // Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)
  '0x78ad7ec0e9f89e74012afa58738b6b661c024cb0fd185ee2f616c0a28924bd66': decodeFill,
  // UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed
  // paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)
  '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f': decodeOperation,
}
