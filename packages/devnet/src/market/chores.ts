import { type Address, encodeFunctionData } from 'viem'
import { launchPadAbi, tokenAbi } from '../contracts/abi.ts'
import { crowdOf } from '../contracts/wallets.ts'
import { deadAddress } from '../profile.ts'
import { rawAmount } from './list.ts'
import { type Intent, isDue, type Scene, send } from './scene.ts'

const transferPeriodS = 15
const burnPeriodS = 60
const mintPeriodS = 75
const pausePeriodS = 600
const pauseS = 12
const feesPeriodS = 300

/** Token events other than trades: transfers, burns, mints, a pause, collected fees. */
export function doChores(scene: Scene): Intent[] {
  const { deployment, random, wallets } = scene
  const { deployer } = wallets
  const intents: Intent[] = []
  const ofKind = (...kinds: string[]) =>
    deployment.tokens.filter(({ kind }) => kinds.includes(kind))
  if (isDue(scene, transferPeriodS, 4)) {
    const index = 3 + random.below(deployment.tokens.length - 3)
    const owner = random.pick(crowdOf(wallets, index, 24))
    const token = deployment.tokens[index]!.address
    intents.push(transfer(owner, token, random.pick(wallets.traders), 0.3 * random.next()))
  }
  if (isDue(scene, burnPeriodS, 11)) {
    const { address } = random.pick(ofKind('plain'))
    const owner = random.pick(wallets.lps)
    intents.push(
      random.isTrue(0.5) ? burn(owner, address) : transfer(owner, address, deadAddress, 0.001),
    )
  }
  if (isDue(scene, mintPeriodS, 23))
    for (const { address, decimals } of ofKind('mintable')) {
      const args = [
        random.pick(wallets.lps),
        rawAmount(500 + random.below(4000), decimals),
      ] as const
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args })
      intents.push(send({ from: deployer, to: address, data }))
    }
  for (const functionName of ['pause', 'unpause'] as const)
    if (isDue(scene, pausePeriodS, functionName === 'pause' ? 330 : 330 + pauseS))
      for (const { address } of ofKind('pausable')) {
        const data = encodeFunctionData({ abi: tokenAbi, functionName })
        intents.push(send({ from: deployer, to: address, data }))
      }
  if (isDue(scene, feesPeriodS, 200)) {
    const data = encodeFunctionData({ abi: launchPadAbi, functionName: 'withdrawFees' })
    intents.push(send({ from: deployer, to: deployment.launchPad, data }))
  }
  return intents
}

function transfer(owner: Address, token: Address, to: string, share: number): Intent {
  return spendOwn(owner, token, share, (amount) =>
    encodeFunctionData({
      abi: tokenAbi,
      functionName: 'transfer',
      args: [to as Address, amount],
    }),
  )
}

function burn(owner: Address, token: Address): Intent {
  return spendOwn(owner, token, 0.001, (amount) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'burn', args: [amount] }),
  )
}

function spendOwn(
  owner: Address,
  token: Address,
  share: number,
  encode: (amount: bigint) => string,
): Intent {
  return {
    type: 'spend',
    owner,
    token,
    spender: undefined,
    amount: { share },
    build: (amount) => ({ from: owner, to: token, data: encode(amount), value: 0n, gas: 150_000 }),
  }
}
