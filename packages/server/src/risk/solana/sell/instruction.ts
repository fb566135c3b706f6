/** An account that an instruction is given. */
export type AccountUse = { key: string; isSigner: boolean; isWritable: boolean }

export type Instruction = { program: string; accounts: readonly AccountUse[]; data: Buffer }

export const readOnly = (key: string): AccountUse => ({ key, isSigner: false, isWritable: false })
export const writable = (key: string): AccountUse => ({ key, isSigner: false, isWritable: true })
export const signer = (key: string): AccountUse => ({ key, isSigner: true, isWritable: true })
