/** The folder of each package that has one of the files, such as `node_modules/zod`. @param inputs paths from the project */
export function packageFolders(inputs: readonly string[]): readonly string[] {
  const folders = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  return [...new Set(folders)].sort();
}
