import { type Address, encodeFunctionData } from 'viem'
import { launchPadAbi } from '../contracts/abi.ts'
import { crowdOf } from '../contracts/wallets.ts'
import { launchName } from './launchName.ts'
import { type CurveState, ether, type Intent, isDue, type Scene, send } from './scene.ts'
import { swap } from './swap.ts'

const launchPeriodS = 60

// Every 100 seconds at the latest the fullest curve is completed.
const graduationPeriodS = 100

// More than a whole curve costs; the platform returns the excess.
const buyOutEth = 12

const crowdSize = 14

// A buy that completes the curve also creates the pair.
const buyGas = 5_000_000

/** Launches tokens, trades their curves, completes them, and trades the pairs they graduate to. */
export function playLaunches(scene: Scene): Intent[] {
  const { random, state } = scene
  const intents: Intent[] = []
  const open = state.curves.filter(({ leftRaw }) => leftRaw > 0n)
  const graduated = state.curves.filter(({ leftRaw }) => leftRaw === 0n)
  const fullest = open.toSorted((a, b) => Number(b.raisedRaw - a.raisedRaw))[0]
  if (isDue(scene, launchPeriodS, 2)) intents.push(launch(scene))
  if (fullest && isDue(scene, graduationPeriodS, 90))
    intents.push(buyCurve(scene, fullest, ether(buyOutEth)))
  else if (fullest && random.isTrue(0.65))
    intents.push(tradeCurve(scene, random.isTrue(0.5) ? fullest : random.pick(open)))
  if (graduated.length > 0 && random.isTrue(0.5))
    intents.push(tradeGraduated(scene, random.pick(graduated)))
  return intents
}

function launch(scene: Scene): Intent {
  const { deployment, random, wallets } = scene
  // The newest launch is first; the next one has the next index.
  const { name, symbol } = launchName((scene.state.curves[0]?.index ?? -1) + 1)
  const args = [name, symbol] as const
  return send({
    from: random.pick(wallets.traders),
    to: deployment.launchPad,
    data: encodeFunctionData({ abi: launchPadAbi, functionName: 'createToken', args }),
    value: ether(0.05 + 0.4 * random.next()),
    gas: 3_000_000,
  })
}

function tradeCurve(scene: Scene, curve: CurveState): Intent {
  const { random } = scene
  return random.isTrue(0.7)
    ? buyCurve(scene, curve, ether(0.03 + 0.5 * random.next() ** 2))
    : sellCurve(scene, curve)
}

function buyCurve(scene: Scene, curve: CurveState, value: bigint): Intent {
  const args = [curve.token, 0n] as const
  return send({
    from: holderOf(scene, curve),
    to: scene.deployment.launchPad,
    data: encodeFunctionData({ abi: launchPadAbi, functionName: 'buy', args }),
    value,
    gas: buyGas,
  })
}

function sellCurve(scene: Scene, curve: CurveState): Intent {
  const { deployment, random } = scene
  const owner = holderOf(scene, curve)
  return {
    type: 'spend',
    owner,
    token: curve.token,
    spender: deployment.launchPad,
    amount: { share: 0.2 + 0.8 * random.next() },
    build(amount) {
      const args = [curve.token, amount, 0n] as const
      const data = encodeFunctionData({ abi: launchPadAbi, functionName: 'sell', args })
      return { from: owner, to: deployment.launchPad, data, value: 0n, gas: 400_000 }
    },
  }
}

function tradeGraduated(scene: Scene, curve: CurveState): Intent {
  const { deployment, random } = scene
  const { weth } = deployment
  const owner = holderOf(scene, curve)
  const pool = { venue: 'v2', fee: 3000, base: curve.token, quote: weth } as const
  return random.isTrue(0.5)
    ? swap(deployment, pool, owner, weth, ether(0.02 + 0.4 * random.next() ** 2))
    : swap(deployment, pool, owner, curve.token, { share: 0.1 + 0.6 * random.next() })
}

function holderOf({ random, wallets }: Scene, curve: CurveState): Address {
  return random.pick(crowdOf(wallets, curve.index + 7, crowdSize))
}
