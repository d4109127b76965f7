import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Runs the projects in the order of the configuration, and the files of a project like Vitest: the longest first, or
 * the largest where no earlier run is known. So the run ends with short files, and no worker waits for a long one.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = this.ctx.projects.map(({ name }) => name);
    return sorted.toSorted((a, b) => names.indexOf(a.project.name) - names.indexOf(b.project.name));
  }
}
