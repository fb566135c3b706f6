import assert from 'node:assert'
import { type Address, encodeDeployData, getContractAddress } from 'viem'
import { DevnetError } from '../errors.ts'
import type { Lane } from '../node/lane.ts'
import type { Artifact } from './artifacts.ts'

export type Call = { from: Address; to: Address; data: string; value?: bigint; gas?: number }

/** Sends the transactions of the start, many in a block, and fails if one of them does. */
export type Builder = {
  deploy(from: Address, artifact: Artifact, args: readonly unknown[]): Promise<Address>
  call(call: Call): Promise<void>
  mine(): Promise<void>
}

// A block holds 60 million gas, and every transaction reserves its limit.
const callGas = 600_000
const deployGas = 7_000_000
const blockGasMax = 55_000_000

export function createBuilder(lane: Lane, genesisS: number): Builder {
  let timestampS = genesisS
  let gasPending = 0
  let hashes: string[] = []

  async function mine(): Promise<void> {
    timestampS += 1
    await lane.mine(timestampS)
    for (const hash of hashes) {
      const receipt = (await lane.request('eth_getTransactionReceipt', [hash])) as {
        status: string
      } | null
      if (receipt?.status !== '0x1')
        throw new DevnetError(
          'DEVNET_TRANSACTION_FAILED',
          `Setting up the chain failed at ${hash}.`,
        )
    }
    hashes = []
    gasPending = 0
  }

  async function send(
    from: Address,
    to: Address | undefined,
    data: string,
    value: bigint,
    gas: number,
  ) {
    if (gasPending + gas > blockGasMax) await mine()
    gasPending += gas
    hashes.push(await lane.send({ from, to, data, value, gas }))
  }

  return {
    mine,
    async deploy(from, { abi, bytecode }, args) {
      const nonce = BigInt(
        (await lane.request('eth_getTransactionCount', [from, 'pending'])) as string,
      )
      const address = getContractAddress({ from, nonce }).toLowerCase() as Address
      assert(bytecode.length > 2)
      await send(from, undefined, encodeDeployData({ abi, bytecode, args }), 0n, deployGas)
      return address
    },
    call: ({ from, to, data, value = 0n, gas = callGas }) => send(from, to, data, value, gas),
  }
}
