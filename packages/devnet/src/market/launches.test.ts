import { type Address, decodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { launchPadAbi } from '../contracts/abi.ts'
import type { Deployment } from '../contracts/deployment.ts'
import { createWallets } from '../contracts/wallets.ts'
import { createRandom } from '../random.ts'
import { playLaunches } from './launches.ts'
import { launchName } from './launchName.ts'
import type { CurveState, Scene } from './scene.ts'

const wallets = createWallets('launches')
const [launchPad, token] = ['2', '3'].map((digit): Address => `0x${digit.repeat(40)}`)
const genesisS = 1_750_000_000

/** Launches of one minute, after `count` earlier ones. */
function launched(count: number) {
  const curves = Array.from({ length: Math.min(count, 24) }, (_, i): CurveState => {
    return { token: token!, index: count - 1 - i, leftRaw: 0n, raisedRaw: 0n }
  })
  const scene = {
    deployment: { launchPad, weth: token } as unknown as Deployment,
    wallets,
    genesisS,
    state: { pools: [], curves },
    random: createRandom('the same for each'),
    timestampS: genesisS + 62,
    parentTimestampS: genesisS + 61,
  } as unknown as Scene
  const calls = playLaunches(scene).flatMap((intent) =>
    intent.type === 'send' && intent.transaction.to === launchPad
      ? decodeFunctionData({ abi: launchPadAbi, data: intent.transaction.data as Address })
      : [],
  )
  return calls.filter(({ functionName }) => functionName === 'createToken')
}

test('behavior: each launch has the name that comes next, whatever was drawn', () => {
  for (const count of [0, 1, 30, 300]) {
    const { name, symbol } = launchName(count)
    expect(launched(count)).toEqual([{ functionName: 'createToken', args: [name, symbol] }])
  }
})
