import type { HeadDialect } from '../../rpc/headSocket.ts'
import { type EvmHeader, parseHeader, parseQuantity } from '../fetch/rawBlock.ts'
import { ofOwnLogs } from '../verify/headerReader.ts'

/** How EVM nodes announce blocks. `chainId`: the chain that they must be of; undefined: whatever it is. */
export function newHeadsOf(chainId: number | undefined): HeadDialect<EvmHeader> {
  return {
    subscription: { id: 1, method: 'eth_subscribe', params: ['newHeads'] },
    network:
      chainId === undefined
        ? null
        : {
            question: { id: 2, method: 'eth_chainId', params: [] },
            isRight: (answer) => parseQuantity(answer) === chainId,
          },
    headOf(announced) {
      const header = parseHeader(announced)
      return header === null ? null : ofOwnLogs(header, announced)
    },
  }
}
