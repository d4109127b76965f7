import type { Role } from "../data/types.ts";
import { texts } from "./texts.ts";

interface RoleChoiceProps {
  readonly roles: readonly Role[];
  readonly role: Role;
  readonly onChange: (role: Role) => void;
}

/** Roles with what each of them sees. */
export function RoleChoice({ roles, role, onChange }: RoleChoiceProps) {
  return (
    <fieldset>
      <legend>{texts.role}</legend>
      {roles.map((each) => (
        <label key={each} className="check">
          <input type="radio" name="role" checked={role === each} onChange={() => onChange(each)} />
          <span>
            {texts.roles[each]}
            <small>{texts.roleTexts[each]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
