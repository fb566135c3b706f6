import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs a script in a separate process and returns its answer. Building its data may need a larger
 * heap than Node's default.
 */
export async function runInChildProcess<answer>(
  script: string,
  args: readonly string[],
): Promise<answer> {
  const child = fork(script, args, {
    execArgv: ['--import', 'tsx', '--max-old-space-size=12000'],
  })
  const ended = once(child, 'exit')
  const [answer] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`${script} ended with ${code} before it answered.`)
    }),
  ])
  child.disconnect()
  await ended
  return answer
}
