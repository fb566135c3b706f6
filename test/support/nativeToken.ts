import { resolve } from 'node:path'
import { type Address, encodeFunctionData } from 'viem'
import { compileSolidity } from './compileSolidity.ts'
import type { DevNode } from './devNode.ts'
import { forward, type RpcCall, type RpcProxy, refusal, startRpcProxy } from './rpcProxy.ts'
import { deployArtifact, transact } from './simulate.ts'

/** An address of B20: prefix, variant 0, nine bytes. */
export const nativeToken: Address = '0xb200000000000000000000a1a2a3a4a5a6a7a8a9'
const factory: Address = '0xb20f000000000000000000000000000000000000'
const registry: Address = '0x8453000000000000000000000000000000000002'

/**
 * B20 tokens on the local chain: bytecode at the standard's addresses, which `hideCode` hides as
 * nodes of Base do.
 */
export async function openNativeTokens(node: DevNode) {
  const contracts = compileSolidity(resolve(import.meta.dirname, 'NativeToken.sol'))
  const { deployer } = node.wallets

  async function put(name: string, address: Address): Promise<void> {
    const deployed = await deployArtifact(node, contracts.get(name)!, [])
    const code = await node.request('eth_getCode', [deployed, 'latest'])
    await node.request('hardhat_setCode', [address, code])
  }
  async function call(name: string, to: Address, functionName: string, args: readonly unknown[]) {
    const data = encodeFunctionData({ abi: contracts.get(name)!.abi, functionName, args })
    return await transact(node, { from: deployer, to, data })
  }

  await put('NativeFactory', factory)
  await put('NativePolicies', registry)
  return {
    /** Creates a token. The deployer becomes admin and receives the supply. */
    async create(token: Address, supply = 10n ** 24n): Promise<void> {
      await put('NativeToken', token)
      await call('NativeFactory', factory, 'create', [token, deployer, supply])
    },
    callToken: (token: Address, functionName: string, args: readonly unknown[]) =>
      call('NativeToken', token, functionName, args),
    setPolicyAdmin: (id: bigint, admin: Address) =>
      call('NativePolicies', registry, 'setAdmin', [id, admin]),
  }
}

/**
 * A node that returns another code for B20 tokens: `0xef` like Base's nodes, `0x` like nodes that
 * return none.
 */
export async function hideCode(
  node: Pick<DevNode, 'rpcUrl'>,
  code: '0x' | '0xef',
  refused: readonly string[] = [],
): Promise<RpcProxy> {
  const reply = async (call: RpcCall) => {
    if (refused.includes(call.method)) return refusal(call, 'query exceeds max block range')
    const [subject] = call.params as [unknown]
    const answer = await forward(node.rpcUrl, call)
    const isHidden = call.method === 'eth_getCode' && /^0xb2000000/i.test(String(subject))
    // Before the token's creation there is no code to hide.
    return isHidden && answer.result !== '0x' ? { ...answer, result: code } : answer
  }
  return await startRpcProxy(async (body, response) => {
    const calls = JSON.parse(body) as RpcCall | RpcCall[]
    const answers = Array.isArray(calls) ? await Promise.all(calls.map(reply)) : await reply(calls)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers))
  })
}
