import { type Program, runProgram } from './program.ts'

/** The chain of `chaintape devnet`, as the configuration of a service beside it names it. */
export type BesideChain = {
  rpc: [{ http_url: string }]
  lockers: string[]
  burn_addresses: string[]
}

export type DevnetBeside = {
  /** For the `chains` of a service that may be restarted while they live on. */
  chains: { local: BesideChain; localsol?: object }
  program: Program
  stop(): Promise<void>
}

/** Runs `chaintape devnet` until it is stopped. */
export async function startDevnetBeside(env: NodeJS.ProcessEnv = {}): Promise<DevnetBeside> {
  const program = runProgram(['devnet', '--json', '--devnet-port', '0'], env)
  const [line] = await program.untilOutput(/^\{.*\}$/m)
  const { chains } = JSON.parse(line) as Pick<DevnetBeside, 'chains'>
  return {
    chains,
    program,
    async stop() {
      program.child.kill('SIGINT')
      await program.ended
    },
  }
}
