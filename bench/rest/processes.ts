import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process that answers each order with one message of the order's type. */
export type BenchProcess<order> = {
  ask<answer>(order: order): Promise<answer>
  ready: Promise<unknown>
  stop(): void
}

export function startProcess<order extends object>(
  file: string,
  args: readonly (string | number)[] = [],
): BenchProcess<order> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const compiled = new URL('../compiled.mjs', import.meta.url).href
  const child: ChildProcess = fork(path, args.map(String), {
    execArgv: ['--import', 'tsx', '--import', compiled],
  })
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${file} ended with ${code}.`))
      child.once('exit', onExit)
      child.once('message', (message) => {
        child.off('exit', onExit)
        resolve(message)
      })
    })
  return {
    ready: next(),
    ask<answer>(order: order) {
      const answer = next()
      child.send(order)
      return answer as Promise<answer>
    },
    stop: () => child.disconnect(),
  }
}
