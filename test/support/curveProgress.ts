import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  pad,
  parseAbi,
} from 'viem'
import type { DevNode } from './devNode.ts'
import { tokenCreated } from './mineLaunch.ts'

const abi = parseAbi([
  'function targetEth() view returns (uint256)',
  'function curves(address) view returns (uint256 virtualToken, uint256 virtualEth, uint256 realToken, uint256 realEth, bool isOpen)',
])

/** Share of a launch's curve that is sold, 0 to 1, as its contract returns it. */
export async function curveProgress(node: DevNode, token: Address): Promise<number> {
  const topics = [tokenCreated, pad(token)]
  const [launch] = (await node.request('eth_getLogs', [{ fromBlock: '0x0', topics }])) as [
    { address: Address },
  ]
  const call = async (data: Hex) =>
    (await node.request('eth_call', [{ to: launch.address, data }, 'latest'])) as Hex
  const target = decodeFunctionResult({
    abi,
    functionName: 'targetEth',
    data: await call(encodeFunctionData({ abi, functionName: 'targetEth' })),
  })
  const [, , , realEth] = decodeFunctionResult({
    abi,
    functionName: 'curves',
    data: await call(encodeFunctionData({ abi, functionName: 'curves', args: [token] })),
  })
  return Number((realEth * 1_000_000n) / target) / 1_000_000
}
