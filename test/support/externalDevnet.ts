import { type Program, runProgram } from './program.ts'

/** A chain of `chaintape devnet`, as the config of a separate service names it. */
export type ExternalChainConfig = {
  rpc: [{ http_url: string }]
  lockers: string[]
  burn_addresses: string[]
}

export type ExternalDevnet = {
  /**
   * Values for `chains` in the config of a service, which may be restarted while the chains keep
   * running.
   */
  chains: { local: ExternalChainConfig; localsol?: object }
  program: Program
  stop(): Promise<void>
}

/** Runs `chaintape devnet` until it is stopped. */
export async function startExternalDevnet(env: NodeJS.ProcessEnv = {}): Promise<ExternalDevnet> {
  const program = runProgram(['devnet', '--json', '--devnet-port', '0'], env)
  const [line] = await program.untilOutput(/^\{.*\}$/m)
  const { chains } = JSON.parse(line) as Pick<ExternalDevnet, 'chains'>
  return {
    chains,
    program,
    async stop() {
      program.child.kill('SIGINT')
      await program.ended
    },
  }
}
